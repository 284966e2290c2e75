// Fetches one chunk and opens it while it arrives.
import { assertNotCancelled, type ChunkFetcher } from '@furoshiki/transfer';
import type { Storage } from '../http/storage.ts';
import { createOpener } from './seal-stream.ts';

export function createStreamFetcher(storage: Storage): ChunkFetcher {
  return {
    async fetch({ url, range, encryption }, onReceived, signal) {
      const opener = encryption ? createOpener(encryption) : createCollector(range.length);
      await storage.get(url, range, (piece) => opener.add(piece), onReceived, signal);
      assertNotCancelled(signal);
      // Only archives need checksums, and this program writes none.
      return { bytes: opener.finish(), crc32: 0 };
    },
  };
}

function createCollector(length: number) {
  const bytes = new Uint8Array(length);
  let at = 0;
  return {
    add(piece: Uint8Array) {
      bytes.set(piece, at);
      at += piece.length;
    },
    finish: () => bytes,
  };
}
