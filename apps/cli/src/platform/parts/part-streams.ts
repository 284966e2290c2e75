// Sends and fetches parts as streams: one is read, sealed and sent at the same time, or fetched and opened while it arrives.
import { Failure } from '@furoshiki/api';
import { contentRange, IV_BYTES, storedRange } from '@furoshiki/format';
import { assertNotCancelled, type ChunkFetcher, type PartSender, type ReceivedStart } from '@furoshiki/transfer';
import type { Storage } from '../storage.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { type ChunkOpener, createOpener, sealStream } from './seal-stream.ts';

/** What is sent: a file, or spooled input. */
export interface Source {
  /** Yields the bytes from `start` up to, not including, `end`. A piece may be overwritten when the next one is requested. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export function createStreamSender(storage: Storage): PartSender<Source> {
  return {
    send({ source, file, key, index, url }, onSent, signal) {
      const { start, end } = contentRange(file, index);
      const content = readable(source.read(start, end));
      const isEncrypted = key !== 'unencrypted';
      // Each attempt seals again, under a new IV.
      const body = isEncrypted ? sealStream({ key, file, index }, nodeCrypto.randomBytes(IV_BYTES), content) : content;
      return storage.put(url, { length: storedRange(file, index, isEncrypted).length, body }, onSent, signal);
    },
  };
}

async function* readable(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (cause) {
    throw new Failure('FILE_UNREADABLE', {}, { cause });
  }
}

export function createStreamFetcher(storage: Storage): ChunkFetcher {
  return {
    async fetch({ url, range, encryption, wantsCrc32, received }, onReceived, signal) {
      // Only archives need checksums, and this program writes none.
      if (wantsCrc32) throw new Error('no checksums here');
      const before = received as ReceivedChunk | undefined;
      // An attempt that has not ended yet may still add to it.
      const isUsable = before !== undefined && before.opener.position === before.length;
      const opener =
        (isUsable ? before.opener : undefined) ??
        (encryption ? createOpener(encryption) : createCollector(range.length));
      const { position } = opener;
      const rest = { start: range.start + position, end: range.end, length: range.length - position };
      try {
        await storage.get(
          url,
          rest,
          (piece) => opener.add(piece),
          (bytes) => onReceived(position + bytes),
          signal,
        );
      } catch (error) {
        if (opener.position === position || opener.position === range.length) throw error;
        return { received: { length: opener.position, opener } satisfies ReceivedChunk };
      }
      assertNotCancelled(signal);
      return { bytes: opener.finish(), crc32: 0 };
    },
  };
}

/** The opener has taken the first `length` bytes. */
interface ReceivedChunk extends ReceivedStart {
  opener: ChunkOpener;
}

function createCollector(length: number): ChunkOpener {
  const bytes = new Uint8Array(length);
  let at = 0;
  return {
    get position() {
      return at;
    },
    add(piece: Uint8Array) {
      bytes.set(piece, at);
      at += piece.length;
    },
    finish: () => bytes,
  };
}
