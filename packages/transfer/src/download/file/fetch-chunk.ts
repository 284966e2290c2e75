// The unit of work of a download, made for a worker: fetch one chunk, open it where it is sealed, and answer its plaintext.
import { Failure, openChunk, type Subtle } from '@furoshiki/core';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import type { ChunkToFetch, FetchedChunk, ObjectStorage } from '../../ports.ts';
import type { RunExclusive } from '../../concurrency/mutex.ts';
import { crc32 } from '../zip/crc32.ts';

export interface FetchPorts {
  subtle: Subtle;
  storage: Pick<ObjectStorage, 'getRange'>;
  /** Opening takes turns, because only it holds a chunk in memory more than once. Receiving does not wait. */
  runExclusive: RunExclusive;
  /** Is handed memory that nobody will read again. */
  release(used: ArrayBuffer): void;
}

export async function fetchChunk(
  { subtle, storage, runExclusive, release }: FetchPorts,
  { url, range, encryption, wantsCrc32 }: ChunkToFetch,
  onReceived: (bytes: number) => void,
  signal: AbortSignal,
): Promise<FetchedChunk> {
  function open({ key, file, index }: NonNullable<typeof encryption>): Promise<Uint8Array<ArrayBuffer>> {
    const opening = openChunk(subtle, key, file, index, stored);
    release(stored.buffer);
    return opening;
  }

  const stored = await storage.getRange(url, range.start, range.end, onReceived, signal);
  // A cut connection, not a forgery: worth another try, unlike a chunk that is whole and does not open.
  if (stored.length !== range.length) throw new Failure('NETWORK');
  const bytes = encryption === undefined ? stored : await runExclusive(() => open(encryption));
  assertNotCancelled(signal);
  return { bytes, crc32: wantsCrc32 ? crc32(bytes) : 0 };
}
