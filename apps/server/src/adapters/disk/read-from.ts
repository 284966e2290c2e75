// Reads a range of a file: while one block is being sent, the next is read.
import { read } from 'node:fs';
import { open } from 'node:fs/promises';
import { orNotFound } from './file-errors.ts';

/** Each response has its own two blocks. Larger blocks were not faster, and 64 responses need no more than 64 MB. */
const BLOCK_BYTES = 512 * 1024;

export async function* readFrom(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await orNotFound(open(path));
  const newBlock = () => Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, end - start));
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
