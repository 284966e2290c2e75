// Fetches and opens chunks in workers.
import { MB } from '@furoshiki/format';
import type { ChunkFetcher, ChunkToFetch, FetchedChunk } from '@furoshiki/transfer';
import { createWorkerPool } from '../workers/worker-pool.ts';

const WORKERS = 2;
/** ADR 11 has the figures. */
const BYTES_PER_WORKER = 500 * MB;

export function createWorkerChunkFetcher(): ChunkFetcher {
  const pool = createWorkerPool<ChunkToFetch, FetchedChunk>({
    kind: 'fetch',
    workersFor: () => WORKERS,
    bytesOf: ({ range }) => range.length,
    bytesPerWorker: BYTES_PER_WORKER,
  });
  return { fetch: pool.call };
}
