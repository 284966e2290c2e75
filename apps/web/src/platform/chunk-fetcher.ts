// Fetches chunks through a few workers: WebCrypto runs in parallel across workers, not within one.
import type { ChunkFetcher, ChunkToFetch, FetchedChunk } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

const WORKERS = 2;
/** Chromium gives the memory of chunks back when a worker ends, and hardly before: that keeps it flat. */
const CHUNKS_PER_WORKER = 3;

interface Hand {
  caller: WorkerCaller<ChunkToFetch, FetchedChunk>;
  chunksLeft: number;
}

export function createChunkFetcher(): ChunkFetcher {
  let hands: Hand[] = [];

  function leastBusy(): Hand {
    hands = hands.filter(({ caller, chunksLeft }) => !caller.isDead && chunksLeft > 0);
    if (hands.length < WORKERS)
      hands.push({ caller: createWorkerCaller(startWorker('fetch')), chunksLeft: CHUNKS_PER_WORKER });
    return hands.reduce((best, hand) => (hand.caller.busy < best.caller.busy ? hand : best));
  }

  return {
    async fetch(chunk, onReceived, signal) {
      const hand = leastBusy();
      hand.chunksLeft -= 1;
      try {
        return await hand.caller.call(chunk, onReceived, signal);
      } finally {
        if (hand.chunksLeft === 0 && hand.caller.busy === 0) hand.caller.end();
      }
    },
  };
}
