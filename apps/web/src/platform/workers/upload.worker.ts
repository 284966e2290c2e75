// Reads, seals and sends parts, so that their bytes never touch the main thread.
import { Failure } from '@furoshiki/core';
import { createTurns, type PartSource, type PartToSend, sendPart } from '@furoshiki/transfer';
import { browserCrypto } from '../browser-crypto.ts';
import { browserStorage } from '../browser-storage.ts';
import { serveCalls } from './serve-calls.ts';

const ports = { crypto: browserCrypto, storage: browserStorage, inTurn: createTurns() };

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
