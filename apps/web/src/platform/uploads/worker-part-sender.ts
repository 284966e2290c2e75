// Reads, seals and sends parts in workers. ADR 14 has the figures.
import { MB, plainRange } from '@furoshiki/format';
import type { PartSender } from '@furoshiki/transfer';
import { partsInMemoryOf, sealersFor } from '../device/transfer-limits.ts';
import type { PartSpool } from './part-spool.ts';
import { createSpooledSender } from './spooled-sender.ts';
import type { UploadRequest } from '../workers/upload-request.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';

/** Small parts share a worker, because starting one takes longer than sending them. */
const SENT_FROM_MEMORY = 8 * MB;

export function createWorkerPartSender(partSpool: PartSpool): PartSender<File> {
  const shared = {
    kind: 'upload',
    workersFor: ({ file }: UploadRequest) => sealersFor(file.chunkSize),
    bytesOf: ({ file, index }: UploadRequest) => plainRange(file, index).length,
  } as const;
  const fromDisk = createWorkerPool<UploadRequest, string>({
    ...shared,
    bytesPerWorker: Number.POSITIVE_INFINITY,
    onIdle: partSpool.clear,
  });
  // Chromium frees memory that was sent only when its worker ends.
  const fromMemory = createWorkerPool<UploadRequest, string>({ ...shared, bytesPerWorker: SENT_FROM_MEMORY });

  return createSpooledSender(partSpool, { fromDisk, fromMemory, inMemory: partsInMemoryOf });
}
