// Checks that the database opens, is undamaged and accepts writes, and that no other user of the machine can read it.
import { stat } from 'node:fs/promises';
import { databaseFiles } from '../../../config/data-folder.ts';
import type { MetadataStore } from '../../../ports/metadata-store.ts';
import { CommandError } from '../../command.ts';
import { type Check, failed, ok, describeError } from '../finding.ts';

const RESTORE = 'stop the server, keep a copy of the file, and restore the last back-up (docs/OPERATING.md)';

export const database: Check = {
  name: 'database',
  async run({ config, paths, openMetadata }) {
    const isOurs = config.DATABASE_URL === undefined;
    const name = isOurs ? paths.database : 'the database of DATABASE_URL';
    const restore = isOurs ? RESTORE : 'see its own log, and restore the last back-up if it cannot be repaired';
    let metadata: MetadataStore;
    try {
      metadata = await openMetadata();
      await metadata.ping();
    } catch (error) {
      if (error instanceof CommandError) return failed(error.message, 'set DATA_DIR, or start the server once');
      const advice = isOurs ? RESTORE : 'check that it runs, and that DATABASE_URL names it, its user and its password';
      return failed(`${name} cannot be opened (${describeError(error)})`, advice);
    }
    const damage = await metadata.findDamage().catch((error: unknown) => [describeError(error)]);
    if (damage.length > 0) return failed(`${name} is damaged (${damage[0] ?? ''})`, restore);
    try {
      await metadata.tryWriting();
    } catch (error) {
      return failed(
        `${name} takes no writes (${describeError(error)})`,
        isOurs
          ? 'see whether the disk is full, the file belongs to the user who runs the server, or another program holds it'
          : 'see whether its disk is full, and that DATABASE_URL does not name a read-only copy',
      );
    }
    const readable = isOurs ? await readableByOthers(paths.database) : [];
    if (readable.length > 0)
      return failed(
        `other users of this machine may read ${readable.join(', ')}, and so the names of files`,
        `chmod 600 '${readable.join("' '")}', or start the server as the user who owns them: it does the same`,
      );
    return ok('opens, is whole, and takes writes');
  },
};

async function readableByOthers(path: string): Promise<string[]> {
  const modes = await Promise.all(
    databaseFiles(path).map(async (file) => ({ file, mode: (await stat(file).catch(() => undefined))?.mode ?? 0 })),
  );
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ file }) => file);
}
