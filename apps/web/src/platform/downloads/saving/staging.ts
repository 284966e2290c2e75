// Downloads in the origin's private file system, before they are saved.
import type { FileToSave } from '@furoshiki/transfer';
import { lockNameOf, lockScratchName, openScratchFolder } from '../../storage/scratch-files.ts';
import { digestOf, readCheckpoint } from './staging-checkpoint.ts';
import { deriveStagingKey, newNonce, randomStagingKey } from './staging-cipher.ts';

/** The suffix of checkpoints. Files of earlier versions have it too. */
const CHECKPOINT = '.mark';
/** As long as a grant lives. An older file cannot be resumed. */
const STALE_MS = 12 * 3_600_000;

export interface StagedFile {
  file: FileSystemFileHandle;
  checkpoint: FileSystemFileHandle;
  identity: string;
  nonce: string;
  /** The file is encrypted with it until it is complete. */
  key: CryptoKey;
  /** How many bytes an earlier attempt has written. */
  startsAt: number;
  /** Removes the checkpoint: the file is not resumed, and the next visit removes it. */
  abandon(): Promise<void>;
  /** Releases the lock and keeps the file for another attempt. */
  release(): void;
  remove(): Promise<void>;
}

/** Opens the file with the bytes of an earlier attempt. It is kept until it is removed or this tab is closed. */
export async function stageFile({ id, resumable, fileSize, chunkSize }: FileToSave): Promise<StagedFile> {
  const { name, release } = await lockScratchName(resumable ? id : crypto.randomUUID());
  const folder = await openScratchFolder();
  const file = await folder.getFileHandle(name, { create: true });
  const checkpoint = await folder.getFileHandle(name + CHECKPOINT, { create: true });
  // Only a file that is named by its id can be found again, so no other file gets an identity.
  const identity = resumable && name === id ? await digestOf(resumable.identity) : '';
  const earlier = readCheckpoint(await (await checkpoint.getFile()).text());
  const hasWholeChunks = earlier?.bytes === fileSize || (earlier !== undefined && earlier.bytes % chunkSize === 0);
  const isSame = earlier?.identity === identity && hasWholeChunks && (await file.getFile()).size >= earlier.bytes;
  const nonce = isSame ? earlier.nonce : newNonce();
  return {
    file,
    checkpoint,
    identity,
    nonce,
    key: await (resumable ? deriveStagingKey(resumable.key, identity, nonce) : randomStagingKey()),
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

/** Removes the files of closed tabs, except those that can still be resumed. */
export async function removeStaleFiles(nowMs: number): Promise<void> {
  const folder = await openScratchFolder();
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of new Set(names.map((entry) => entry.replace(CHECKPOINT, '')))) {
    await navigator.locks.request(lockNameOf(name), { ifAvailable: true }, async (lock) => {
      if (!lock || (await isResumable(folder, name, nowMs))) return;
      // A file that cannot be removed, because something still reads it, must not keep the others.
      for (const entry of [name, name + CHECKPOINT]) await folder.removeEntry(entry).catch(() => undefined);
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
