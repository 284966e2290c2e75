// Whether a file can be stored, read back and deleted, through the very store that the server uses.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Check, failed, ok, skipped, wordFor } from '../finding.ts';

const LENGTH = 100_000;

export const storage: Check = {
  name: 'storage',
  async run({ paths, objects }) {
    // The store would make the folder, and so a wrong DATA_DIR a right one.
    if (!existsSync(paths.root)) return skipped('there is no data folder');
    const key = randomBytes(16).toString('base64url');
    const bytes = randomBytes(LENGTH);
    let step = 'open an upload';
    try {
      const upload = { key, uploadId: await objects.createUpload(key) };
      step = 'write a part';
      const part = { key, partNumber: 1, offset: 0, length: LENGTH };
      const etag = await objects.writePart(part, Readable.from([bytes]));
      step = 'complete the upload';
      await objects.completeUpload(upload, [{ partNumber: 1, etag, length: LENGTH }]);
      step = 'read the file back';
      const read = await buffer(objects.read(key, 0, LENGTH));
      if (!read.equals(bytes))
        return failed('other bytes come back than were written', 'do not trust this disk: look for a hardware fault');
      step = 'delete the file';
      await objects.delete(key);
    } catch (error) {
      return failed(
        `cannot ${step} in ${paths.objects} (${wordFor(error)})`,
        'see that it is a folder, on a disk that is mounted and not full, and belongs to the user who runs the server',
      );
    } finally {
      await objects.delete(key).catch(() => undefined);
    }
    return ok('writes, completes, reads back and deletes');
  },
};
