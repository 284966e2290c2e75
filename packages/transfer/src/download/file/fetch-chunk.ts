// The unit of work of a download, which runs in a worker: fetches one chunk, opens it if it is sealed, returns its plaintext.
import { Failure } from '@furoshiki/api';
import { type ChunkContext, openChunk } from '@furoshiki/format';
import { createMutex } from '../../concurrency/lanes.ts';
import type { ChunkFetcher, CryptoPort, ObjectStorage } from '../../ports.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import { crc32 } from '../zip/crc32.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface FetchPorts {
  crypto: Pick<CryptoPort, 'subtle' | 'release'>;
  storage: Pick<ObjectStorage, 'getRange'>;
}

/** Create one in each worker: chunks are received in parallel and opened one at a time. */
export function createChunkFetcher({ crypto, storage }: FetchPorts): ChunkFetcher {
  // While a chunk is opened, it is in memory more than once.
  const runExclusive = createMutex();
  return {
    async fetch({ url, range, encryption, wantsCrc32, received }, onReceived, signal) {
      const before = received as Bytes | undefined;
      const had = before?.length ?? 0;
      const onMore = (bytes: number) => onReceived(had + bytes);
      const more = await storage.getRange(url, range.start + had, range.end, onMore, signal);
      // A cut connection, not a forgery: worth a retry, unlike a complete chunk that does not open.
      if (more.length === 0 || had + more.length > range.length) throw new Failure('NETWORK');
      const stored = before ? joined(before, more) : more;
      if (stored.length < range.length) return { received: stored };
      const open = (context: ChunkContext) => {
        const opening = openChunk(crypto.subtle, context, stored);
        crypto.release(stored.buffer);
        return opening;
      };
      const bytes = encryption === undefined ? stored : await runExclusive(() => open(encryption));
      assertNotCancelled(signal);
      return { bytes, crc32: wantsCrc32 ? crc32(bytes) : 0 };
    },
  };
}

function joined(first: Bytes, second: Bytes): Bytes {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
