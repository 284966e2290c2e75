// Reads, seals and sends one part at the same time.
import { Failure } from '@furoshiki/api';
import { contentRange, storedRange } from '@furoshiki/format';
import type { PartSender } from '@furoshiki/transfer';
import type { Storage } from '../http/storage.ts';
import { sealStream } from './seal-stream.ts';

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
      const body = isEncrypted ? sealStream({ key, file, index }, content) : content;
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
