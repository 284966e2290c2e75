// Reads, seals and sends a part, so that its bytes never touch the main thread.
import { Failure } from '@furoshiki/core';
import { type InTurn, type PartSource, type PartToSend, sendPart } from '@furoshiki/transfer';
import { browserCrypto } from '../browser-crypto.ts';
import { browserStorage } from '../browser-storage.ts';
import { serveCalls } from './serve-calls.ts';

/** Pages that are not secure have no locks, and nothing to seal. */
const turnsOf =
  (name: string): InTurn =>
  (work) =>
    'locks' in navigator ? navigator.locks.request(name, work) : work();

const [page = '', line = ''] = self.name.split(' ');
const ports = {
  crypto: browserCrypto,
  storage: browserStorage,
  inTurn: turnsOf(`${page} ${line}`),
  handOver: turnsOf(page),
};

serveCalls<PartToSend<File>, string>(self, (part, onProgress, signal) =>
  sendPart(ports, { ...part, source: sliceOf(part.source) }, onProgress, signal),
);

function sliceOf(file: File): PartSource {
  return {
    async read(start, end) {
      try {
        return new Uint8Array(await file.slice(start, end).arrayBuffer());
      } catch (cause) {
        throw new Failure('FILE_UNREADABLE', {}, { cause });
      }
    },
  };
}
