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
  clear(): void;
}

export function createPartSpool(): PartSpool {
  let free: TemporaryFile[] = [];
  const hasSpaceFor = async (partBytes: number) => ((await freeScratchBytes()) ?? 0) >= MAX_FILES * partBytes;
  const create = async (partBytes: number) =>
    (await hasSpaceFor(partBytes)) ? createTemporaryFile().catch(() => undefined) : undefined;
  return {
    hasSpaceFor,
    acquire: async (partBytes) => free.pop() ?? create(partBytes),
    release: (spoolFile) => void free.push(spoolFile),
    clear() {
      // A file that cannot be removed now is removed at the next visit.
      for (const spoolFile of free) spoolFile.remove().catch(() => undefined);
      free = [];
    },
  };
}
