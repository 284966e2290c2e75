// Checks that the database opens, is undamaged and accepts writes, and that no other user of the machine can read it.
import { stat } from 'node:fs/promises';
import { databaseFiles } from '../../../config/data-folder.ts';
import { adviceFor } from '../../../diagnosis/error-advice.ts';
import { reasonOf } from '../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, warning } from '../finding.ts';

export const database: Check = {
  name: 'database',
  async run({ config, paths, inspectMetadata }) {
    const service = config.DATABASE_URL === undefined ? 'sqlite' : 'postgres';
    const isOurs = service === 'sqlite';
    const name = isOurs ? `the database ${paths.database}` : 'the database of DATABASE_URL';
    const inspected = await inspectMetadata();
    if (inspected === undefined || inspected.schema === 'empty')
      return failed(
        isOurs ? `there is no database in DATA_DIR ${paths.root}` : `${name} has no tables yet`,
        `set ${isOurs ? 'DATA_DIR' : 'DATABASE_URL'} as for the server, or start the server once: it creates ${isOurs ? 'one' : 'them'}`,
      );
    const { metadata } = inspected;
    if (metadata === undefined)
      return warning(
        `${name} is from an older version: the next start brings it up to date, and not back`,
        'back it up before (docs/OPERATING.md), then start the server, and run this again',
      );
    const damage = await metadata.findDamage().catch((error: unknown) => [reasonOf(error)]);
    if (damage.length > 0)
      return failed(
        `${name} is damaged (${damage[0] ?? ''})`,
        isOurs
          ? 'stop the server, keep a copy of the file, and restore the last back-up (docs/OPERATING.md)'
          : 'see its own log, and restore the last back-up if it cannot be repaired',
      );
    try {
      await metadata.tryWriting();
    } catch (error) {
      return failed(`${name} takes no writes (${reasonOf(error)})`, adviceFor(error, service, paths.root));
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
