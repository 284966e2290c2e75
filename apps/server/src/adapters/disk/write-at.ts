// Streams a request body to its place in a file.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/core';
import { errorCodeOf, orNotFound } from './file-errors.ts';

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
    if (errorCodeOf(cause) === 'ENOSPC') throw new Failure('QUOTA_EXCEEDED', {}, { cause });
    // The client went away, or sent the part anew over another connection.
    if (isCut(body, cause) && !(cause instanceof Failure)) throw new Failure('PART_LENGTH_INVALID', {}, { cause });
    throw cause;
  } finally {
    await file.close();
  }
}

/** A body of HTTP/1.1 is destroyed with its connection; one of HTTP/2 only ends too early. */
function isCut(body: Readable, cause: unknown): boolean {
  return body.destroyed || errorCodeOf(cause) === 'ERR_STREAM_PREMATURE_CLOSE';
}

async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}
