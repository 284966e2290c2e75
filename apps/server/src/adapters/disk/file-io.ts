// Reads and writes ranges of files, and translates errors of the file system.
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { read } from 'node:fs';
import { Failure } from '@furoshiki/api';
import { atMinimumSpeed } from '../../minimum-speed.ts';
import { full, unavailable } from '../../ports/store-failures.ts';

/** The client disconnected, or sent the part again over another connection. */
const DISCONNECTED = new Set<unknown>(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Few large writes are much cheaper than many small ones. While one is running, the next batch is received. */
const BATCH_BYTES = 1024 * 1024;
/** Each response has its own two blocks. Larger blocks were not faster. */
const BLOCK_BYTES = 512 * 1024;
/** If more transfers run, new ones get less memory, so that a thousand clients that stall need about 100 MB. */
const TRANSFERS_IN_FULL = 10;
let openTransfers = 0;
const shareOf = (bytes: number) => Math.ceil(bytes * Math.min(1, TRANSFERS_IN_FULL / openTransfers));

/** Streams a request body to its offset in a file. Resolves once the bytes are synced to disk. */
export async function writeAt(path: string, offset: number, length: number, body: Readable): Promise<void> {
  const file = await orNotFound(open(path, 'r+'));
  let writing = Promise.resolve();
  openTransfers += 1;
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
      if (received - batchStart >= shareOf(BATCH_BYTES)) await flush();
    }
    if (received !== length) throw new Failure('PART_LENGTH_INVALID');
    await flush();
    await writing;
    await file.datasync();
  } catch (cause) {
    if (DISCONNECTED.has(errorCodeOf(cause))) throw new Failure('PART_LENGTH_INVALID', {}, { cause });
    throw cause;
  } finally {
    openTransfers -= 1;
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

/** Reads a range of a file: while one block is being sent, the next is read. */
export async function* readFrom(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await orNotFound(open(path));
  openTransfers += 1;
  const blockBytes = shareOf(BLOCK_BYTES);
  const newBlock = () => Buffer.allocUnsafeSlow(Math.min(blockBytes, end - start));
  let [filling, other] = [newBlock(), newBlock()];
  let reading = fill(file.fd, filling, start, end);
  try {
    for (let position = start; position < end; ) {
      const block = await reading;
      position += block.length;
      [filling, other] = [other, filling];
      if (position < end) {
        reading = fill(file.fd, filling, position, end);
        // It is awaited in the next round or at the end. Until then a rejection must not count as unhandled.
        reading.catch(() => undefined);
      }
      yield block;
    }
  } finally {
    openTransfers -= 1;
    await reading.catch(() => undefined);
    await file.close();
  }
}

/** Uses the callback API, which costs less per block than the promise API of a file handle. */
function fill(fd: number, block: Buffer, position: number, end: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    read(fd, block, 0, Math.min(block.length, end - position), position, (error, bytesRead) => {
      if (error) reject(error);
      else if (bytesRead === 0) reject(new Error('the file is shorter than it was'));
      else resolve(block.subarray(0, bytesRead));
    });
  });
}

export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The disk, or the quota of its user, is full. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** A faulty disk does not cause these. A wrong call of ours does, or another program that changes our folder. */
const OURS = new Set(['EBADF', 'EEXIST', 'EINVAL', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTEMPTY']);

/** Returns a StoreFailure for every fault of the disk: full, read-only, not mounted, damaged … Returns other errors unchanged. */
export function diskFailureOf(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (error instanceof Failure || typeof code !== 'string') return error;
  if (FULL.has(code)) return full(code, error);
  return 'syscall' in (error as Error) && !OURS.has(code) ? unavailable(code, error) : error;
}

/** Throws NOT_FOUND for a missing file, and every other error unchanged. */
export async function orNotFound<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw errorCodeOf(cause) === 'ENOENT' ? new Failure('NOT_FOUND', {}, { cause }) : cause;
  }
}
