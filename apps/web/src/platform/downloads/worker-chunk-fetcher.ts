// Fetches and opens chunks in workers.
import type { ChunkFetcher, ChunkToFetch, FetchedChunk } from '@furoshiki/transfer';
import { createWorkerPool } from '../workers/worker-pool.ts';

const WORKERS = 2;
/** ADR 11 has the figures. */
const CHUNKS_PER_WORKER = 20;

export function createWorkerChunkFetcher(): ChunkFetcher {
  const pool = createWorkerPool<ChunkToFetch, FetchedChunk>({
    kind: 'fetch',
    workersFor: () => WORKERS,
    callsPerWorker: CHUNKS_PER_WORKER,
  });
  return { fetch: pool.call };
}
