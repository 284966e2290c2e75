// Fetches and opens chunks away from the main thread. Their bytes are transferred to the page, not copied.
import { createChunkFetcher, type CutChunk, type FetchedChunk } from '@furoshiki/transfer';
import { browserStorage, giveMemoryBack } from '../http/object-storage.ts';
import { serveCalls } from './serve-calls.ts';

const fetcher = createChunkFetcher({
  crypto: { subtle: crypto.subtle, release: giveMemoryBack },
  storage: browserStorage,
});

// What was received of a cut chunk are bytes, too: this fetcher has made it.
const bytesOf = (result: FetchedChunk | CutChunk) =>
  'received' in result ? (result.received as Uint8Array<ArrayBuffer>) : result.bytes;
serveCalls(self, fetcher.fetch, (result) => [bytesOf(result).buffer]);
