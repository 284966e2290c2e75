// Scratch files in the origin's private file system: downloads before they are saved, and parts before they are sent. A
// lock shows that a tab still needs a file.
import { acquireTabLock, type Release } from './tab-lock.ts';

/** For all scratch files, not only for staged downloads. The name is kept: browsers have files in this folder. */
const FOLDER = 'staging';
export const lockNameOf = (name: string) => `furoshiki.staging.${name}`;

export const openScratchFolder = async () =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/** Returns another name if another tab has a file of the wanted name. */
export async function lockScratchName(wanted: string): Promise<{ name: string; release: Release }> {
  for (let name = wanted; ; name = crypto.randomUUID()) {
    const release = await acquireTabLock(lockNameOf(name));
    if (release) return { name, release };
  }
}

/** Returns the free bytes. Undefined in a private window, or if the browser has no private file system. */
export async function freeScratchBytes(): Promise<number | undefined> {
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
  const { name, release } = await lockScratchName(crypto.randomUUID());
  const folder = await openScratchFolder();
  return {
    handle: await folder.getFileHandle(name, { create: true }),
    async remove() {
      await folder.removeEntry(name);
      release();
    },
  };
}
