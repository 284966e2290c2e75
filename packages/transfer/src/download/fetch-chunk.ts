// The unit of work of a download, made for a worker: fetch one chunk, open it where it is sealed, and answer its plaintext.
import { Failure, openChunk, type Subtle } from '@furoshiki/core';
import { assertNotCancelled } from '../cancellation.ts';
import type { ChunkToFetch, FetchedChunk, Storage } from '../ports.ts';
import { crc32 } from './crc32.ts';

export async function fetchChunk(
  { subtle, storage }: { subtle: Subtle; storage: Pick<Storage, 'getRange'> },
  { url, range, seal, wantsCrc32 }: ChunkToFetch,
  onReceived: (bytes: number) => void,
  signal: AbortSignal,
): Promise<FetchedChunk> {
  const stored = await storage.getRange(url, range.start, range.end, onReceived, signal);
  // A cut connection, not a forgery: worth another try, unlike a chunk that is whole and does not open.
  if (stored.length !== range.length) throw new Failure('NETWORK');
  const bytes = seal === undefined ? stored : await openChunk(subtle, seal.key, seal.file, seal.index, stored);
  assertNotCancelled(signal);
  return { bytes, crc32: wantsCrc32 ? crc32(bytes) : 0 };
}
