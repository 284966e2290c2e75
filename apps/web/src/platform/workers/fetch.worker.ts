// Fetches and opens chunks away from the main thread. Their bytes are handed over, not copied.
import { type ChunkToFetch, fetchChunk, type FetchedChunk } from '@furoshiki/transfer';
import { browserCrypto } from '../browser-crypto.ts';
import { browserStorage } from '../browser-storage.ts';
import { serveCalls } from './serve-calls.ts';

/** A progress bar does not need every packet, and each message costs the main thread. */
const PROGRESS_MS = 100;

serveCalls<ChunkToFetch, FetchedChunk>(
  self,
  (chunk, onProgress, signal) => {
    let toldAtMs = 0;
    const onReceived = (bytes: number) => {
      if (bytes < chunk.range.length && performance.now() - toldAtMs < PROGRESS_MS) return;
      toldAtMs = performance.now();
      onProgress(bytes);
    };
    return fetchChunk({ subtle: browserCrypto.subtle, storage: browserStorage }, chunk, onReceived, signal);
  },
  ({ bytes }) => [bytes.buffer],
);
