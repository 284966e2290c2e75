// Writes a file that is complete or absent, and never replaces another one.
import { existsSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf } from '../diagnosis.ts';
import { syncFolder } from '../sync-folder.ts';
import { BackupError } from './archive.ts';

/**
 * So much may wait to be written to the disk. The server syncs every part and every commit, and a file system may make it wait
 * until all of this is written too.
 */
const UNSYNCED_BYTES = 16 * 1024 * 1024;
const BATCH_BYTES = 1024 * 1024;
/** What file systems without hard links say, such as FAT and some network file systems. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export type WriteBlocks = (blocks: AsyncIterable<Uint8Array>) => Promise<void>;

/** `fill` writes the whole content with one call. Returns what `fill` returns. */
export async function writeNewFile<T>(path: string, fill: (write: WriteBlocks) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw exists(path);
  const part = `${path}.part`;
  const file = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    if (codeOf(cause) !== 'EEXIST') throw notWritable(part, cause);
    const advice = 'another backup is writing it, or was killed: if none is running, remove it';
    throw new BackupError(`${part} exists: ${advice}`, { cause });
  });
  try {
    const result = await fill((blocks) => writeBlocks(file, blocks).catch(orNotWritable(part)));
    await file.sync().catch(orNotWritable(part));
    await file.close();
    await publish(part, path);
    await syncFolder(dirname(path)).catch(orNotWritable(path));
    return result;
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}

/** Small blocks are written together: a file of a few bytes has a dozen of them. */
async function writeBlocks(file: FileHandle, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  let [batch, batchBytes, unsyncedBytes]: [Uint8Array[], number, number] = [[], 0, 0];
  const flush = async () => {
    await file.writeFile(Buffer.concat(batch));
    unsyncedBytes += batchBytes;
    [batch, batchBytes] = [[], 0];
    if (unsyncedBytes < UNSYNCED_BYTES) return;
    await file.datasync();
    unsyncedBytes = 0;
  };
  for await (const block of blocks) {
    batch.push(block);
    batchBytes += block.length;
    if (batchBytes >= BATCH_BYTES) await flush();
  }
  await flush();
}

async function publish(part: string, path: string): Promise<void> {
  try {
    // Unlike a rename, this cannot replace a file that was created in the meantime.
    await link(part, path);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'EEXIST' || existsSync(path)) throw exists(path);
    if (!NO_LINKS.has(code)) throw notWritable(path, cause);
    return rename(part, path).catch(orNotWritable(path));
  }
  await rm(part);
}

const exists = (path: string) => new BackupError(`${path} exists: choose another name`);

const orNotWritable = (path: string) => (cause: unknown) => {
  throw notWritable(path, cause);
};

/** Errors of what is copied pass through. */
function notWritable(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (cause instanceof BackupError || code === '' || !('syscall' in (cause as Error))) return cause;
  const advice = code === 'ENOSPC' || code === 'EDQUOT' ? ': its disk is full' : '';
  return new BackupError(`${path} cannot be written (${reasonOf(cause)})${advice}`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
