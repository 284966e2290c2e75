// Streams a request body to its place in a file.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/core';
import { errorCodeOf, orNotFound } from './file-errors.ts';

/** The client went away, or sent the part anew over another connection. */
const BROKEN_OFF = new Set<unknown>(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Streams a body to its place and answers the SHA-256 of it, once the disk has it. */
export async function writeAt(path: string, offset: number, length: number, body: Readable): Promise<string> {
  const file = await orNotFound(open(path, 'r+'));
  try {
    const hash = createHash('sha256');
    let received = 0;
    for await (const bytes of body as AsyncIterable<Buffer>) {
      if (received + bytes.length > length) throw new Failure('PART_LENGTH_INVALID');
      hash.update(bytes);
      await writeFully(file, bytes, offset + received);
      received += bytes.length;
    }
    if (received !== length) throw new Failure('PART_LENGTH_INVALID');
    await file.datasync();
    return `"${hash.digest('hex')}"`;
  } catch (cause) {
    const code = errorCodeOf(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new Failure('QUOTA_EXCEEDED', {}, { cause });
    if (BROKEN_OFF.has(code)) throw new Failure('PART_LENGTH_INVALID', {}, { cause });
    throw cause;
  } finally {
    await file.close();
  }
}

async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}
