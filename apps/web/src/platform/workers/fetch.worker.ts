// Fetches and opens chunks away from the main thread. Their bytes are handed over, not copied.
import { type ChunkToFetch, fetchChunk, type FetchedChunk } from '@furoshiki/transfer';
import { browserCrypto } from '../browser-crypto.ts';
import { browserStorage } from '../browser-storage.ts';
import { serveCalls } from './serve-calls.ts';

serveCalls<ChunkToFetch, FetchedChunk>(
  self,
  (chunk, onProgress, signal) =>
    fetchChunk({ subtle: browserCrypto.subtle, storage: browserStorage }, chunk, onProgress, signal),
  ({ bytes }) => [bytes.buffer],
);
