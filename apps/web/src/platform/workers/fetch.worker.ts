// Fetches and opens chunks away from the main thread. Their bytes are handed over, not copied.
import { type ChunkToFetch, createMutex, fetchChunk, type FetchedChunk } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';
import { browserStorage } from '../http/object-storage.ts';
import { giveMemoryBack } from '../downloads/chunk-memory.ts';
import { serveCalls } from './serve-calls.ts';

const ports = {
  subtle: browserCrypto.subtle,
  storage: browserStorage,
  runExclusive: createMutex(),
  release: giveMemoryBack,
};

serveCalls<ChunkToFetch, FetchedChunk>(
  self,
  (chunk, onProgress, signal) => fetchChunk(ports, chunk, onProgress, signal),
  ({ bytes }) => [bytes.buffer],
);
