// Streams a request body to its offset in a file.
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/api';
import { atMinimumSpeed } from '../../minimum-speed.ts';
import { errorCodeOf, orNotFound } from './file-errors.ts';

/** The client disconnected, or sent the part again over another connection. */
const DISCONNECTED = new Set<unknown>(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Few large writes are much cheaper than many small ones. While one is running, the next batch is received. */
const BATCH_BYTES = 1024 * 1024;

/** Resolves once the bytes are synced to disk. */
export async function writeAt(path: string, offset: number, length: number, body: Readable): Promise<void> {
  const file = await orNotFound(open(path, 'r+'));
  let writing = Promise.resolve();
  try {
    let received = 0;
    let batch: Buffer[] = [];
    let batchStart = 0;
    async function flush(): Promise<void> {
      const [buffers, position] = [batch, offset + batchStart];
      batch = [];
      batchStart = received;
      await writing;
      writing = writeFully(file, buffers, position);
      // It is awaited by the next flush or at the end. Until then a rejection must not count as unhandled.
      writing.catch(() => undefined);
    }
    for await (const bytes of atMinimumSpeed(body)) {
      if (received + bytes.length > length) throw new Failure('PART_LENGTH_INVALID');
      batch.push(bytes);
      received += bytes.length;
      if (received - batchStart >= BATCH_BYTES) await flush();
    }
    if (received !== length) throw new Failure('PART_LENGTH_INVALID');
    await flush();
    await writing;
    await file.datasync();
  } catch (cause) {
    if (DISCONNECTED.has(errorCodeOf(cause))) throw new Failure('PART_LENGTH_INVALID', {}, { cause });
    throw cause;
  } finally {
    // Wait for the last write: the next writer of this part must not be overwritten by it.
    await writing.catch(() => undefined);
    await file.close();
  }
}

/** Writes all buffers, one after the other, starting at `position`. */
async function writeFully(file: FileHandle, buffers: Buffer[], position: number): Promise<void> {
  let remaining = buffers;
  let offset = position;
  while (remaining.length > 0) {
    const { bytesWritten } = await file.writev(remaining, offset);
    offset += bytesWritten;
    remaining = dropBytes(remaining, bytesWritten);
  }
}

/** Returns the buffers without their first bytes: a disk may write less than it was given. */
function dropBytes(buffers: Buffer[], bytes: number): Buffer[] {
  let written = bytes;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(written, buffer.length);
    written -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}
