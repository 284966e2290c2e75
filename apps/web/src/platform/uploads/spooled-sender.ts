// Sends each part from disk, or from memory if the disk has no space. Never holds more parts in memory than fit.
import { asFailure, Failure } from '@furoshiki/api';
import type { PartSender } from '@furoshiki/transfer';
import type { UploadRequest } from '../workers/upload-request.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { PartSpool } from './part-spool.ts';

interface SenderPools {
  fromDisk: WorkerPool<UploadRequest, string>;
  fromMemory: WorkerPool<UploadRequest, string>;
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
