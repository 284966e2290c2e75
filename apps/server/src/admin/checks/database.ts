// Whether the database opens, is whole, and takes writes.
import type { MetadataStore } from '../../ports/metadata-store.ts';
import { CommandError } from '../command.ts';
import { type Check, failed, ok, wordFor } from '../finding.ts';

const RESTORE = 'stop the server, keep a copy of the file, and restore the last back-up (docs/OPERATING.md)';

export const database: Check = {
  name: 'database',
  async run({ paths, openMetadata }) {
    let metadata: MetadataStore;
    try {
      metadata = await openMetadata();
      await metadata.ping();
    } catch (error) {
      if (error instanceof CommandError) return failed(error.message, 'set DATA_DIR, or start the server once');
      return failed(`${paths.database} cannot be opened (${wordFor(error)})`, RESTORE);
    }
    const damage = await metadata.findDamage().catch((error: unknown) => [wordFor(error)]);
    if (damage.length > 0) return failed(`${paths.database} is damaged (${damage[0] ?? ''})`, RESTORE);
    try {
      await metadata.tryWriting();
    } catch (error) {
      return failed(
        `${paths.database} takes no writes (${wordFor(error)})`,
        'see whether the disk is full, the file belongs to the user who runs the server, or another program holds it',
      );
    }
    return ok('opens, is whole, and takes writes');
  },
};
