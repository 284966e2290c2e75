// Fetches and opens chunks, and many small files at once, away from the main thread. Their bytes are transferred to the page, not
// copied.
import {
  createChunkFetcher,
  createSmallFilesFetcher,
  type CutChunk,
  type FetchedChunk,
  type FetchedSmallFile,
} from '@furoshiki/transfer';
import { browserStorage, giveMemoryBack, postForBytes } from '../http/object-storage.ts';
import { type FetchCall, type FetchedFile, type FetchResult, serveCalls } from './serve-calls.ts';

const { subtle } = crypto;
const fetcher = createChunkFetcher({ crypto: { subtle, release: giveMemoryBack }, storage: browserStorage });
const smallFiles = createSmallFilesFetcher({ crypto: { subtle }, post: postForBytes });

// What was received of a cut chunk are bytes, too: this fetcher has made it.
const bytesOf = (result: FetchedChunk | CutChunk) =>
  'received' in result ? (result.received as Uint8Array<ArrayBuffer>) : result.bytes;

type OnItem = (item: FetchedFile, transfer: Transferable[]) => void;

async function handle(
  call: FetchCall,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
  onItem: OnItem,
): Promise<FetchResult> {
  if (!('files' in call)) return fetcher.fetch(call, onProgress, signal);
  const onFile = (index: number, file: FetchedSmallFile) =>
    onItem({ index, file }, 'chunk' in file ? [file.chunk.bytes.buffer] : []);
  await smallFiles.fetch(call, onFile, onProgress, signal);
  return undefined;
}

serveCalls(self, handle, (result) => (result ? [bytesOf(result).buffer] : []));
