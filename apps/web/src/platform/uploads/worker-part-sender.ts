// Reads, seals and sends parts in workers. ADR 14 has the figures.
import type { PartSender } from '@furoshiki/transfer';
import { sealersFor } from '../device/transfer-limits.ts';
import type { PartSpool } from './part-spool.ts';
import type { UploadRequest } from '../workers/upload-request.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';

export function createWorkerPartSender(partSpool: PartSpool): PartSender<File> {
  const workersFor = ({ file }: UploadRequest) => sealersFor(file.chunkSize);
  const fromDisk = createWorkerPool<UploadRequest, string>({
    kind: 'upload',
    workersFor,
    callsPerWorker: Number.POSITIVE_INFINITY,
    onIdle: partSpool.clear,
  });
  // Chromium frees memory that was sent only when its worker ends.
  const fromMemory = createWorkerPool<UploadRequest, string>({ kind: 'upload', workersFor, callsPerWorker: 1 });

  return {
    async send(part, onSent, signal) {
      // A file of one part is sent from memory: it never exceeds the memory limit.
      const spoolFile = part.file.count > 1 ? await partSpool.acquire(part.file.chunkSize) : undefined;
      if (!spoolFile) return fromMemory.call({ ...part, spoolFile }, onSent, signal);
      try {
        return await fromDisk.call({ ...part, spoolFile: spoolFile.handle }, onSent, signal);
      } finally {
        partSpool.release(spoolFile);
      }
    },
  };
}
