// Fetches and opens chunks away from the main thread. Their bytes are transferred to the page, not copied.
import { createChunkFetcher } from '@furoshiki/transfer';
import { browserStorage, giveMemoryBack } from '../http/object-storage.ts';
import { serveCalls } from './serve-calls.ts';

const fetcher = createChunkFetcher({
  crypto: { subtle: crypto.subtle, release: giveMemoryBack },
  storage: browserStorage,
});

serveCalls(self, fetcher.fetch, ({ bytes }) => [bytes.buffer]);
