// Files in the origin's private file system: downloads before they are saved, and parts before they are sent. A lock shows
// that a tab still needs a file.
import type { FileToSave } from '@furoshiki/transfer';
import { acquireTabLock, type Release } from '../../device/tab-lock.ts';
import { digestOf, readCheckpoint } from './staging-checkpoint.ts';

const FOLDER = 'staging';
/** The suffix of checkpoints. Files of earlier versions have it too. */
const CHECKPOINT = '.mark';
/** As long as a grant lives. An older file cannot be resumed. */
const STALE_MS = 12 * 3_600_000;
const lockNameOf = (name: string) => `furoshiki.staging.${name}`;

const openFolder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/** Returns the free bytes. Undefined in a private window, or if the browser has no private file system. */
export async function stagingRoom(): Promise<number | undefined> {
  try {
    await navigator.storage.getDirectory();
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return quota - usage;
  } catch {
    return undefined;
  }
}

/** A file that does not outlive this tab. */
export interface TemporaryFile {
  handle: FileSystemFileHandle;
  remove(): Promise<void>;
}

export async function createTemporaryFile(): Promise<TemporaryFile> {
  const { name, release } = await lockName(crypto.randomUUID());
  const folder = await openFolder();
  return {
    handle: await folder.getFileHandle(name, { create: true }),
    async remove() {
      await folder.removeEntry(name);
      release();
    },
  };
}

export interface StagedFile {
  file: FileSystemFileHandle;
  checkpoint: FileSystemFileHandle;
  identity: string;
  /** How many bytes an earlier attempt has written. */
  startsAt: number;
  /** Removes the checkpoint: the file is not resumed, and the next visit removes it. */
  abandon(): Promise<void>;
  /** Releases the lock and keeps the file for another attempt. */
  release(): void;
  remove(): Promise<void>;
}

/** Opens the file with the bytes of an earlier attempt. It is kept until it is removed or this tab is closed. */
export async function stageFile({ id, identity, fileSize, chunkSize }: FileToSave): Promise<StagedFile> {
  const { name, release } = await lockName(identity === undefined ? crypto.randomUUID() : id);
  const folder = await openFolder();
  const file = await folder.getFileHandle(name, { create: true });
  const checkpoint = await folder.getFileHandle(name + CHECKPOINT, { create: true });
  // Only a file that is named by its id can be found again, so no other file gets an identity.
  const digest = identity !== undefined && name === id ? await digestOf(identity) : '';
  const earlier = readCheckpoint(await (await checkpoint.getFile()).text());
  const hasWholeChunks = earlier?.bytes === fileSize || (earlier !== undefined && earlier.bytes % chunkSize === 0);
  const isSame = earlier?.identity === digest && hasWholeChunks && (await file.getFile()).size >= earlier.bytes;
  return {
    file,
    checkpoint,
    identity: digest,
    startsAt: isSame ? earlier.bytes : 0,
    abandon: () => folder.removeEntry(name + CHECKPOINT),
    release,
    async remove() {
      await folder.removeEntry(name);
      await folder.removeEntry(name + CHECKPOINT);
      release();
    },
  };
}

/** Uses another name if another tab is fetching the same file. */
async function lockName(wanted: string): Promise<{ name: string; release: Release }> {
  for (let name = wanted; ; name = crypto.randomUUID()) {
    const release = await acquireTabLock(lockNameOf(name));
    if (release) return { name, release };
  }
}

/** Removes the files of closed tabs, except those that can still be resumed. */
export async function removeStaleFiles(nowMs: number): Promise<void> {
  const folder = await openFolder();
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of new Set(names.map((entry) => entry.replace(CHECKPOINT, '')))) {
    await navigator.locks.request(lockNameOf(name), { ifAvailable: true }, async (lock) => {
      if (!lock || (await isResumable(folder, name, nowMs))) return;
      for (const entry of [name, name + CHECKPOINT]) if (names.includes(entry)) await folder.removeEntry(entry);
    });
  }
}

async function isResumable(folder: FileSystemDirectoryHandle, name: string, nowMs: number): Promise<boolean> {
  try {
    const checkpoint = await (await folder.getFileHandle(name + CHECKPOINT)).getFile();
    return readCheckpoint(await checkpoint.text()) !== undefined && nowMs - checkpoint.lastModified < STALE_MS;
  } catch {
    return false;
  }
}
