// Reads, seals and sends parts in workers. ADR 0014 has the figures.
import type { PartSender } from '@furoshiki/transfer';
import { sealersFor } from '../http/connection.ts';
import type { PartShelf } from './part-spool.ts';
import type { UploadRequest } from '../workers/upload-request.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';

export function createWorkerPartSender(shelf: PartShelf): PartSender<File> {
  const workersFor = ({ file }: UploadRequest) => sealersFor(file.chunkSize);
  const fromDisk = createWorkerPool<UploadRequest, string>({
    kind: 'upload',
    workersFor,
    callsPerWorker: Number.POSITIVE_INFINITY,
    onRest: shelf.clear,
  });
  // Chromium keeps what was sent from memory for as long as its worker lives.
  const fromMemory = createWorkerPool<UploadRequest, string>({ kind: 'upload', workersFor, callsPerWorker: 1 });

  return {
    async send(part, onSent, signal) {
      // A single part takes no more memory than it may.
      const place = part.file.count > 1 ? await shelf.take(part.file.chunkSize) : undefined;
      if (!place) return fromMemory.call({ ...part, place }, onSent, signal);
      try {
        return await fromDisk.call({ ...part, place: place.file }, onSent, signal);
      } finally {
        shelf.giveBack(place);
      }
    },
  };
}
