// Fetches chunks through a few workers: WebCrypto runs in parallel across workers, not within one.
import type { ChunkFetcher, ChunkToFetch, FetchedChunk } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

const WORKERS = 2;
/** What is left in Chromium of each chunk is little and goes when its worker ends, and hardly before. ADR 0011 has the figures. */
const CHUNKS_PER_WORKER = 20;
/** Whoever has nothing to do gives its memory back. */
const IDLE_MS = 3000;

interface Hand {
  caller: WorkerCaller<ChunkToFetch, FetchedChunk>;
  chunksLeft: number;
}

export function createChunkFetcher(): ChunkFetcher {
  let hands: Hand[] = [];
  let resting: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(): Hand {
    hands = hands.filter(({ caller, chunksLeft }) => !caller.isDead && chunksLeft > 0);
    if (hands.length < WORKERS)
      hands.push({ caller: createWorkerCaller(startWorker('fetch')), chunksLeft: CHUNKS_PER_WORKER });
    return hands.reduce((best, hand) => (hand.caller.busy < best.caller.busy ? hand : best));
  }

  function endIdle(): void {
    for (const { caller } of hands) if (caller.busy === 0) caller.end();
  }

  return {
    async fetch(chunk, onReceived, signal) {
      clearTimeout(resting);
      const hand = leastBusy();
      hand.chunksLeft -= 1;
      try {
        return await hand.caller.call(chunk, onReceived, signal);
      } finally {
        if (hand.chunksLeft === 0 && hand.caller.busy === 0) hand.caller.end();
        clearTimeout(resting);
        resting = setTimeout(endIdle, IDLE_MS);
      }
    },
  };
}
