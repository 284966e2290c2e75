// Temporary files for sealed parts that wait for the network, so that they take no memory. Files are reused, and removed
// when no part needs them. ADR 14 has the figures.
import { createTemporaryFile, freeScratchBytes, type TemporaryFile } from '../storage/scratch-files.ts';

/** More parts than are ever in progress at once. */
const MAX_FILES = 10;

export interface PartSpool {
  /** Whether the disk has space for as many parts of this size as may be in progress. */
  hasSpaceFor(partBytes: number): Promise<boolean>;
  /** Returns a file for a part of this size, or undefined if the disk has no space. */
  acquire(partBytes: number): Promise<TemporaryFile | undefined>;
  release(spoolFile: TemporaryFile): void;
  /** The disk has refused a part, whatever it reports as free. Nothing is written any more, as long as this tab lives. */
  refuse(): void;
  clear(): void;
}

const scratchDisk = { createFile: createTemporaryFile, freeBytes: freeScratchBytes };

export function createPartSpool(disk: typeof scratchDisk = scratchDisk): PartSpool {
  let free: TemporaryFile[] = [];
  /** Files in use or free. They have their space already. */
  let fileCount = 0;
  let isRefused = false;
  const hasSpaceFor = async (partBytes: number) =>
    !isRefused && ((await disk.freeBytes()) ?? 0) >= (MAX_FILES - fileCount) * partBytes;

  async function create(partBytes: number): Promise<TemporaryFile | undefined> {
    if (!(await hasSpaceFor(partBytes))) return undefined;
    const spoolFile = await disk.createFile().catch(() => undefined);
    if (spoolFile) fileCount += 1;
    return spoolFile;
  }

  return {
    hasSpaceFor,
    acquire: async (partBytes) => (isRefused ? undefined : (free.pop() ?? create(partBytes))),
    release: (spoolFile) => void free.push(spoolFile),
    refuse: () => void (isRefused = true),
    clear() {
      // A file that cannot be removed now is removed at the next visit.
      for (const spoolFile of free) spoolFile.remove().catch(() => undefined);
      fileCount -= free.length;
      free = [];
    },
  };
}
