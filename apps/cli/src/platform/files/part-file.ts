// One file that is being received: `name.part` beside its final name, with a checkpoint in the state folder. It gets its
// final name only when it is complete.
import { existsSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure, shownName } from '@furoshiki/core';
import type { Destination, FileSink, FileToSave } from '@furoshiki/transfer';
import { CliError } from '../../cli-error.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { digestOf } from '../state/folders.ts';
import { acquireLock } from '../state/lock.ts';
import { createTextFiles, type TextFiles } from '../state/text-files.ts';

interface Checkpoint {
  /** A digest: it says nothing about the file. */
  identity: string;
  /** Synced to the disk. */
  bytes: number;
}

export interface SaveOptions {
  /** Nothing is written outside of it. */
  folder: string;
  /** Replaces a file of the same name. */
  force: boolean;
  /** Where checkpoints are kept. */
  checkpoints: string;
}

/** `path` is relative to the folder. */
export function partFile(file: FileToSave, path: string, options: SaveOptions): Destination {
  return { open: () => openPart(file, path, options) };
}

async function openPart(
  file: FileToSave,
  path: string,
  { folder, force, checkpoints }: SaveOptions,
): Promise<FileSink> {
  const final = await orSaveFailed(path, placeIn(folder, path));
  const part = `${final}.part`;
  const texts = createTextFiles(checkpoints);
  const name = digestOf(final);
  const release = acquireLock(join(checkpoints, `.${name}.lock`));
  if (!release) throw new CliError('receive.busy', { name: shownName(path) });
  try {
    const identity = file.resumable && digestOf(file.resumable.identity);
    const startsAt = await resumePoint(part, file, readCheckpoint(texts, name), identity);
    const handle = await orSaveFailed(path, open(part, startsAt > 0 ? 'r+' : 'w', 0o600));
    await handle.truncate(startsAt);
    return createSink({ handle, part, final, startsAt, force, path, texts, name, identity, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the final path. Throws if a symbolic link leads out of the folder. */
async function placeIn(folder: string, path: string): Promise<string> {
  const final = join(folder, path);
  await mkdir(dirname(final), { recursive: true });
  const [root, parent] = await Promise.all([realpath(folder), realpath(dirname(final))]);
  if (parent !== root && !parent.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new CliError('receive.outside', { name: shownName(path) });
  return join(parent, path.slice(path.lastIndexOf('/') + 1));
}

function readCheckpoint(texts: TextFiles, name: string): Checkpoint | undefined {
  try {
    const { identity, bytes } = JSON.parse(texts.getItem(name) ?? '') as Checkpoint;
    return typeof identity === 'string' && Number.isSafeInteger(bytes) ? { identity, bytes } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns how many bytes of an earlier run can be used: whole chunks, or all. */
async function resumePoint(
  part: string,
  { fileSize, chunkSize }: FileToSave,
  checkpoint: Checkpoint | undefined,
  identity: string | undefined,
): Promise<number> {
  if (!checkpoint || identity === undefined || checkpoint.identity !== identity) return 0;
  const { bytes } = checkpoint;
  const size = await stat(part).then(
    (facts) => (facts.isFile() ? facts.size : 0),
    () => 0,
  );
  const isWhole = bytes === fileSize || (bytes < fileSize && bytes % chunkSize === 0);
  return isWhole && size >= bytes ? bytes : 0;
}

interface OpenPart {
  handle: FileHandle;
  part: string;
  final: string;
  startsAt: number;
  force: boolean;
  path: string;
  texts: TextFiles;
  name: string;
  identity: string | undefined;
  release: () => void;
}

function createSink(opened: OpenPart): FileSink {
  const { handle, part, final, startsAt, force, path, texts, name, identity, release } = opened;
  let written = startsAt;
  let syncing: Promise<void> | undefined;

  /** One sync at a time, beside the writing. What was written before it began is then safe. */
  async function sync(): Promise<void> {
    const bytes = written;
    await handle.datasync();
    if (identity !== undefined) texts.setItem(name, JSON.stringify({ identity, bytes } satisfies Checkpoint));
  }

  async function close(): Promise<void> {
    await syncing;
    await handle.close();
  }

  async function giveFinalName(): Promise<void> {
    if (force) return rename(part, final);
    try {
      // Unlike a rename, a link never replaces a file that has appeared in the meantime.
      await link(part, final);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || existsSync(final)) throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
      // The file system has no hard links.
      return rename(part, final);
    }
    await rm(part);
  }

  return {
    startsAt,
    async write(bytes) {
      await orSaveFailed(path, writeAll(handle, bytes, written));
      written += bytes.length;
      nodeCrypto.release(bytes.buffer);
      syncing ??= sync()
        .catch(() => undefined)
        .finally(() => void (syncing = undefined));
    },
    async finish() {
      await syncing;
      await orSaveFailed(path, handle.sync());
      await handle.close();
      await orSaveFailed(path, giveFinalName());
      texts.removeItem(name);
      release();
    },
    async suspend() {
      await syncing;
      await sync().catch(() => undefined);
      await close();
      release();
    },
    async discard() {
      await close();
      await rm(part, { force: true });
      texts.removeItem(name);
      release();
    },
  };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function orSaveFailed<T>(path: string, saving: Promise<T>): Promise<T> {
  try {
    return await saving;
  } catch (cause) {
    if (cause instanceof CliError) throw new Failure('SAVE_FAILED', {}, { cause });
    const { code = '' } = cause as NodeJS.ErrnoException;
    const name = shownName(path);
    const text = code === 'EEXIST' ? 'receive.exists' : code === 'ENOSPC' ? 'receive.noSpace' : 'receive.notSaved';
    throw new Failure('SAVE_FAILED', {}, { cause: new CliError(text, { name, code }) });
  }
}
