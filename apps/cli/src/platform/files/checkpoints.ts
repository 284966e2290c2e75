// What is known about files that are being received: one small text for each, in the state folder.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../state/folders.ts';
import { createTextFiles } from '../state/text-files.ts';

/** Longer than a server keeps files. */
const KEPT_MS = 7 * 24 * 3_600_000;

export interface Checkpoint {
  /** A digest: it says nothing about the file. Empty if the file cannot be continued. */
  identity: string;
  /** Synced to the disk. */
  bytes: number;
  /** The number of the file in its file system. Its name alone does not say that it is ours. */
  inode: number;
  /** Set if the file is complete. It then has its final name, or is about to get it. */
  completeMs?: number | undefined;
}

export interface Checkpoints {
  /** `path` is that of the complete file. */
  read(path: string): Checkpoint | undefined;
  /** Never rejects: a full disk makes it impossible to continue later, but not impossible to receive. */
  write(path: string, checkpoint: Checkpoint): Promise<void>;
  remove(path: string): void;
  lockOf(path: string): string;
  removeStale(): void;
}

export function createCheckpoints(folder: string): Checkpoints {
  const texts = createTextFiles(folder);
  return {
    read(path) {
      try {
        const { identity, bytes, inode, completeMs } = JSON.parse(texts.getItem(digestOf(path)) ?? '') as Checkpoint;
        const isValid = typeof identity === 'string' && Number.isSafeInteger(bytes);
        return isValid ? { identity, bytes, inode, completeMs } : undefined;
      } catch {
        return undefined;
      }
    },
    write: (path, checkpoint) => texts.write(digestOf(path), JSON.stringify(checkpoint)).catch(() => undefined),
    remove: (path) => texts.removeItem(digestOf(path)),
    lockOf: (path) => join(folder, `.${digestOf(path)}.lock`),
    removeStale() {
      for (const name of texts.list()) {
        const writtenAtMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
        if (Date.now() - writtenAtMs > KEPT_MS) texts.removeItem(name);
      }
    },
  };
}
