// Files on their way to the user's disk or to the server, in the origin's private file system. A lock tells that a tab still
// needs one.
import type { FileToSave } from '@furoshiki/transfer';
import { acquireTabLock, type Release } from '../../device/tab-lock.ts';
import { digestOf, readMark } from './staging-checkpoint.ts';

const FOLDER = 'staging';
const MARK = '.mark';
/** As long as a grant lives. What is older cannot be gone on with. */
const STALE_MS = 12 * 3_600_000;
const lockOf = (name: string) => `furoshiki.staging.${name}`;

const folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/** Bytes that there is room for. Undefined in a private window, or in a browser that has no such thing. */
export async function stagingRoom(): Promise<number | undefined> {
  try {
    await navigator.storage.getDirectory();
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return quota - usage;
  } catch {
    return undefined;
  }
}

/** For what need not outlive this tab. */
export interface TemporaryFile {
  handle: FileSystemFileHandle;
  remove(): Promise<void>;
}

export async function createTemporaryFile(): Promise<TemporaryFile> {
  const name = await lockName(crypto.randomUUID());
  const parent = await folder();
  return {
    handle: await parent.getFileHandle(name.text, { create: true }),
    async remove() {
      await parent.removeEntry(name.text);
      name.release();
    },
  };
}

export interface StagedFile {
  file: FileSystemFileHandle;
  mark: FileSystemFileHandle;
  identity: string;
  /** How much of it is there from an earlier try. */
  startsAt: number;
  /** Whoever visits next removes it: nothing more will be done with it. */
  abandon(): Promise<void>;
  /** Lets go of it; it is kept for another try. */
  release(): void;
  remove(): Promise<void>;
}

/** The place of a file, with what an earlier try has left there. It is kept until it is removed or this tab is closed. */
export async function stageFile({ id, identity, fileSize, chunkSize }: FileToSave): Promise<StagedFile> {
  const name = await lockName(identity === undefined ? crypto.randomUUID() : id);
  const parent = await folder();
  const file = await parent.getFileHandle(name.text, { create: true });
  const mark = await parent.getFileHandle(name.text + MARK, { create: true });
  // A later try looks under its id alone: what lies elsewhere, nobody could go on with.
  const digest = identity !== undefined && name.text === id ? await digestOf(identity) : '';
  const left = readMark(await (await mark.getFile()).text());
  const isWhole = left?.bytes === fileSize || (left !== undefined && left.bytes % chunkSize === 0);
  const isOurs = left?.identity === digest && isWhole && (await file.getFile()).size >= left.bytes;
  return {
    file,
    mark,
    identity: digest,
    startsAt: isOurs ? left.bytes : 0,
    abandon: () => parent.removeEntry(name.text + MARK),
    release: name.release,
    async remove() {
      await parent.removeEntry(name.text);
      await parent.removeEntry(name.text + MARK);
      name.release();
    },
  };
}

/** If another tab is fetching the same file, this one uses another name. */
async function lockName(wanted: string): Promise<{ text: string; release: Release }> {
  for (let text = wanted; ; text = crypto.randomUUID()) {
    const release = await acquireTabLock(lockOf(text));
    if (release) return { text, release };
  }
}

/** Removes what tabs that are closed have left behind, but for what can still be gone on with. */
export async function removeStaleFiles(nowMs: number): Promise<void> {
  const parent = await folder();
  const names: string[] = [];
  for await (const name of parent.keys()) names.push(name);
  for (const name of new Set(names.map((name) => name.replace(MARK, '')))) {
    await navigator.locks.request(lockOf(name), { ifAvailable: true }, async (lock) => {
      if (!lock || (await isResumable(parent, name, nowMs))) return;
      for (const entry of [name, name + MARK]) if (names.includes(entry)) await parent.removeEntry(entry);
    });
  }
}

async function isResumable(parent: FileSystemDirectoryHandle, name: string, nowMs: number): Promise<boolean> {
  try {
    const mark = await (await parent.getFileHandle(name + MARK)).getFile();
    return readMark(await mark.text()) !== undefined && nowMs - mark.lastModified < STALE_MS;
  } catch {
    return false;
  }
}
