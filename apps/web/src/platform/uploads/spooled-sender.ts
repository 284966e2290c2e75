// Sends each part from disk, or from memory if the disk has no space. Never holds more parts in memory than fit.
import { asFailure, Failure } from '@furoshiki/api';
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { createTemporaryFile, freeScratchBytes, type TemporaryFile } from '../storage/scratch-files.ts';

/** A pool of upload workers. Not the type of worker-pools.ts: upload.worker.ts imports this file, and has no DOM. */
interface UploadPool {
  call(request: UploadRequest, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
}

interface SenderPools {
  fromDisk: UploadPool;
  fromMemory: UploadPool;
  /** How many parts of this size fit into memory. */
  inMemory(partBytes: number): number;
}

export function createSpooledSender(
  partSpool: PartSpool,
  { fromDisk, fromMemory, inMemory }: SenderPools,
): PartSender<File> {
  let held = 0;

  /** The engine has counted on the disk. It tries again, with as many parts at once as there is memory for. */
  const noSpace = () => new Failure('STORAGE_ERROR');

  const sendFromMemory: PartSender<File>['send'] = async (part, onSent, signal) => {
    if (held >= inMemory(part.file.chunkSize)) throw noSpace();
    held += 1;
    try {
      return await fromMemory.call({ ...part, spoolFile: undefined }, onSent, signal);
    } finally {
      held -= 1;
    }
  };

  return {
    async send(part, onSent, signal) {
      // A file of one part is sent from memory: it never exceeds the memory limit.
      if (part.file.count === 1) return fromMemory.call({ ...part, spoolFile: undefined }, onSent, signal);
      const spoolFile = await partSpool.acquire(part.file.chunkSize);
      if (!spoolFile) return sendFromMemory(part, onSent, signal);
      try {
        return await fromDisk.call({ ...part, spoolFile: spoolFile.handle }, onSent, signal);
      } catch (thrown) {
        if (asFailure(thrown).code !== 'SAVE_FAILED') throw thrown;
        partSpool.refuse();
        throw noSpace();
      } finally {
        partSpool.release(spoolFile);
      }
    },
  };
}

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

/**
 * Temporary files for sealed parts that wait for the network, so that they take no memory. Files are reused, and
 * removed when no part needs them. ADR 14 has the figures.
 */
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

/** The request that the page sends to an upload worker. */
export interface UploadRequest extends PartToSend<File> {
  /** Holds the sealed part while it is sent. Undefined: it stays in memory. */
  spoolFile: FileSystemFileHandle | undefined;
}
