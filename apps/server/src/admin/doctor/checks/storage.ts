// Checks that a file can be stored, read back and deleted, through the same store as the server's.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { PartLocation } from '../../../ports/object-store.ts';
import type { Tools } from '../../command.ts';
import { type Check, failed, ok, skipped, describeError } from '../finding.ts';

const LENGTH = 100_000;
const TIMEOUT_MS = 10_000;

export const storage: Check = {
  name: 'storage',
  async run(tools) {
    const { config, paths, objects, storeName } = tools;
    const isOnDisk = config.S3_BUCKET === undefined;
    // The store would create the folder, and so hide a wrong DATA_DIR.
    if (isOnDisk && !existsSync(paths.root)) return skipped('there is no data folder');
    const key = randomBytes(16).toString('base64url');
    const bytes = randomBytes(LENGTH);
    let step = 'open an upload';
    try {
      const upload = { key, uploadId: await objects.createUpload(key) };
      step = 'write a part';
      const etag = await writePart(tools, { ...upload, partNumber: 1, offset: 0, length: LENGTH }, bytes);
      step = 'complete the upload';
      await objects.completeUpload(upload, [{ partNumber: 1, etag, length: LENGTH }]);
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
          : 'check that the bucket is there, that S3_ENDPOINT and S3_REGION are right, and that the keys may read, write and delete in it',
      );
    } finally {
      await objects.purge(key).catch(() => undefined);
    }
    return ok('writes, completes, reads back and deletes');
  },
};

/** Sends the bytes as the server does, or, for a remote store, as a browser does. */
async function writePart(
  { served, objects, clock }: Tools,
  part: PartLocation,
  bytes: Buffer<ArrayBuffer>,
): Promise<string> {
  if (served) return served.writePart(part, Readable.from([bytes]));
  const url = await objects.signPartUrl({ ...part, siteUrl: '', expiresAtMs: clock.nowMs() + TIMEOUT_MS });
  const response = await fetch(url, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.headers.get('etag') ?? '';
}
