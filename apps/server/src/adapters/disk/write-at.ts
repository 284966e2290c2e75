// Streams a request body to its place in a file.
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/core';
import { errorCodeOf, orNotFound } from './file-errors.ts';

/** The client went away, or sent the part anew over another connection. */
const BROKEN_OFF = new Set<unknown>(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Few large writes are much cheaper than many small ones. While one is under way, the next batch is received. */
const BATCH_BYTES = 1024 * 1024;

/** Streams a body to its place. Resolves once the disk has it. */
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
      // Awaited by the next flush or at the end: until then it must not count as unhandled.
      writing.catch(() => undefined);
    }
    for await (const bytes of body as AsyncIterable<Buffer>) {
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
    const code = errorCodeOf(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new Failure('QUOTA_EXCEEDED', {}, { cause });
    if (BROKEN_OFF.has(code)) throw new Failure('PART_LENGTH_INVALID', {}, { cause });
    throw cause;
  } finally {
    // Nothing may land in the file after whoever comes next has begun to write there.
    await writing.catch(() => undefined);
    await file.close();
  }
}

/** All of the buffers, one after the other from `position` on. */
async function writeFully(file: FileHandle, buffers: Buffer[], position: number): Promise<void> {
  let rest = buffers;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    at += bytesWritten;
    rest = without(rest, bytesWritten);
  }
}

/** What is left of the buffers when so many bytes of them are gone: a disk may take less than it was given. */
function without(buffers: Buffer[], bytes: number): Buffer[] {
  let gone = bytes;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(gone, buffer.length);
    gone -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}
