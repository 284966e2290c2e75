// Standard input as a file: its size must be known before it is sent, so it is first written to a temporary file, encrypted
// with a key that only this process has.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_TOTAL_BYTES, STATED_TOTAL_GB } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import type { Source } from '../parts/part-streams.ts';
import { CliError } from '../../errors.ts';

const BLOCK_BYTES = MB;
const TAG_BYTES = 16;
const STORED_BLOCK_BYTES = BLOCK_BYTES + TAG_BYTES;

export interface Spool {
  size: number;
  source: Source;
  remove(): Promise<void>;
}

export async function spoolInput(input: AsyncIterable<Uint8Array>): Promise<Spool> {
  const key = randomBytes(32);
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'input');
    const file = await open(path, 'wx+', 0o600);
    // Without a name, nothing of it remains even if this process is killed. Windows may keep the name until `remove`.
    await remove().catch(() => undefined);
    let size = 0;
    try {
      let index = 0;
      for await (const block of blocksOf(input)) {
        size += block.length;
        if (size > MAX_TOTAL_BYTES) throw new CliError('send.tooLarge', { size: STATED_TOTAL_GB });
        await file.writeFile(seal(key, index, block));
        index += 1;
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    const end = async () => {
      await file.close();
      await remove();
    };
    return { size, remove: end, source: { read: (start, stop) => read(file, key, start, stop) } };
  } catch (error) {
    await remove();
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC'
      ? new CliError('send.noSpace', { folder: tmpdir() })
      : error;
  }
}

/** Yields blocks of the same size. Only the last one may be shorter. */
async function* blocksOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of input) {
    waiting.push(piece);
    length += piece.length;
    if (length < BLOCK_BYTES) continue;
    const joined = Buffer.concat(waiting);
    let at = 0;
    for (; joined.length - at >= BLOCK_BYTES; at += BLOCK_BYTES) yield joined.subarray(at, at + BLOCK_BYTES);
    waiting = [joined.subarray(at)];
    length = joined.length - at;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** Each key is used for one spool only, so the number of a block is a unique IV. */
function ivOf(index: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(index, 8);
  return iv;
}

function seal(key: Buffer, index: number, block: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(index));
  return Buffer.concat([cipher.update(block), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: Buffer, index: number, stored: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, ivOf(index));
  decipher.setAuthTag(stored.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(stored.subarray(0, -TAG_BYTES)), decipher.final()]);
}

async function* read(file: FileHandle, key: Buffer, start: number, end: number): AsyncGenerator<Uint8Array> {
  const stored = Buffer.alloc(STORED_BLOCK_BYTES);
  for (let index = Math.floor(start / BLOCK_BYTES); index * BLOCK_BYTES < end; index += 1) {
    const { bytesRead } = await file.read(stored, 0, STORED_BLOCK_BYTES, index * STORED_BLOCK_BYTES);
    const block = unseal(key, index, stored.subarray(0, bytesRead));
    const blockStart = index * BLOCK_BYTES;
    yield block.subarray(Math.max(0, start - blockStart), end - blockStart);
  }
}
