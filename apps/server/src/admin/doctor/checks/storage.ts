// Checks that the store belongs to the database, and that a file can be stored, read back and deleted, as the server does it.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { StartError } from '../../../config/config.ts';
import { inspectDataFolder } from '../../../config/data-folder.ts';
import { adviceFor } from '../../../diagnosis/error-advice.ts';
import { reasonOf } from '../../../diagnosis/error-reason.ts';
import { factsOf } from '../../../services/store-owner.ts';
import { assertOwnStore } from '../../../store-claim.ts';
import type { Tools } from '../../command.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';
import { storeFile } from '../store-file.ts';

const LENGTH = 100_000;

/** What the start creates if the folder is missing. */
const EMPTY_STORE = { readOwner: () => Promise.resolve(undefined), listKeys: () => Promise.resolve([]) };

export const storage: Check = {
  name: 'storage',
  async run(tools) {
    const { config, paths, clock, openObjects } = tools;
    const isOnDisk = config.S3_BUCKET === undefined;
    // The store would create the folder, and so hide a wrong DATA_DIR.
    if (isOnDisk && !existsSync(paths.root)) return skipped('there is no data folder');
    if (isOnDisk) await inspectDataFolder(paths.root, true);
    const owner = isOnDisk ? await foreignOwner(paths.root) : undefined;
    // The folders that root would create for the file could not be used by the server.
    if (owner !== undefined)
      return skipped(`not tried as root, because ${paths.root} belongs to user ${owner}: run this as that user`);
    const store = await openObjects();
    await assertOwned(tools);
    const { objects, storeName } = store;
    const key = randomBytes(16).toString('base64url');
    const bytes = randomBytes(LENGTH);
    let step = '';
    try {
      await storeFile({ ...store, clock }, key, bytes, (name) => (step = name));
      step = 'read the file back';
      const read = await buffer(objects.read(key, 0, LENGTH));
      if (!read.equals(bytes))
        return failed(
          'the bytes that were read differ from those written',
          'do not trust this disk: look for a hardware fault',
        );
      step = 'delete the file';
      await objects.delete(key);
    } catch (error) {
      throw new StartError(`cannot ${step} in ${storeName} (${reasonOf(error)})`, {
        cause: error,
        advice: adviceFor(error, isOnDisk ? 'disk' : 's3', paths.root),
      });
    } finally {
      await objects.purge(key).catch(() => undefined);
    }
    return ok('writes, completes, reads back and deletes');
  },
};

/** The user whose folder it is, if this process is root and the user is another one. */
async function foreignOwner(folder: string): Promise<number | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid } = await stat(folder);
  return uid === 0 ? undefined : uid;
}

/** Throws a StartError as the start does. Without a usable database, which has its own check, the owner is not known. */
async function assertOwned({ config, paths, inspectMetadata, openObjects }: Tools): Promise<void> {
  const inspected = await inspectMetadata().catch(() => 'unusable' as const);
  if (inspected === 'unusable' || inspected?.schema === 'older') return;
  const metadata = inspected?.metadata;
  const { objects, storeName } = await openObjects();
  const isMissing = config.S3_BUCKET === undefined && !existsSync(paths.objects);
  const store = { objects: isMissing ? EMPTY_STORE : objects, storeName };
  await assertOwnStore(config, metadata && (await factsOf(metadata)), store);
}
