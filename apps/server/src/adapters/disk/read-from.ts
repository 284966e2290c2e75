// Reads a range of a file: while one block is being sent, the next is read.
import { read } from 'node:fs';
import { open } from 'node:fs/promises';
import { createBlocks } from './blocks.ts';
import { orNotFound } from './file-errors.ts';

/** Two for each answer, and 32 MB in all, however many answers are under way. */
const blocks = createBlocks(16);

export async function* readFrom(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await orNotFound(open(path));
  let [filling, other] = [blocks.take(end - start), blocks.take(end - start)];
  let reading = fill(file.fd, filling, start, end);
  let isWhole = false;
  try {
    for (let at = start; at < end; ) {
      const block = await reading;
      at += block.length;
      [filling, other] = [other, filling];
      if (at < end) {
        reading = fill(file.fd, filling, at, end);
        // Awaited in the next round or at the end: until then it must not count as unhandled.
        reading.catch(() => undefined);
      }
      yield block;
    }
    isWhole = true;
  } finally {
    await reading.catch(() => undefined);
    // Where an answer broke off, the network may still hold on to what it was given.
    for (const block of [filling, other]) blocks[isWhole ? 'giveBack' : 'forget'](block);
    await file.close();
  }
}

/** By callback, which costs less for each block than a file handle's own promise. */
function fill(fd: number, block: Buffer, at: number, end: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    read(fd, block, 0, Math.min(block.length, end - at), at, (error, bytesRead) => {
      if (error) reject(error);
      else if (bytesRead === 0) reject(new Error('the file is shorter than it was'));
      else resolve(block.subarray(0, bytesRead));
    });
  });
}
