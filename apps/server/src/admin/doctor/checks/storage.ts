// Checks that a file can be stored, read back and deleted, through the same store as the server's.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { type Check, failed, ok, skipped, describeError } from '../finding.ts';
import { storeFile } from '../store-file.ts';

const LENGTH = 100_000;

export const storage: Check = {
  name: 'storage',
  async run(tools) {
    const { config, paths, objects, storeName } = tools;
    const isOnDisk = config.S3_BUCKET === undefined;
    // The store would create the folder, and so hide a wrong DATA_DIR.
    if (isOnDisk && !existsSync(paths.root)) return skipped('there is no data folder');
    const key = randomBytes(16).toString('base64url');
    const bytes = randomBytes(LENGTH);
    let step = '';
    try {
      await storeFile(tools, key, bytes, (name) => (step = name));
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
      return failed(
        `cannot ${step} in ${storeName} (${describeError(error)})`,
        isOnDisk
          ? 'check that it is a folder, on a disk that is mounted and not full, and belongs to the user who runs the server'
          : 'check that the bucket is there, that S3_ENDPOINT and S3_REGION are right, and that the keys may read, write and delete in it, versions of objects included',
      );
    } finally {
      await objects.purge(key).catch(() => undefined);
    }
    return ok('writes, completes, reads back and deletes');
  },
};
