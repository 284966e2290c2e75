// Reads, seals and sends parts, so that their bytes never touch the main thread.
import { Failure } from '@furoshiki/core';
import { createTurns, type PartSource, sendPart } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';
import { browserStorage } from '../http/object-storage.ts';
import { serveCalls } from './serve-calls.ts';
import type { UploadRequest } from './upload-request.ts';

const inTurn = createTurns();

serveCalls<UploadRequest, string>(self, ({ place, ...part }, onProgress, signal) => {
  const wrap = async (bytes: Uint8Array<ArrayBuffer>) => (place && (await laidDown(place, bytes))) ?? bytes;
  const ports = { crypto: browserCrypto, storage: browserStorage, inTurn, wrap };
  return sendPart(ports, { ...part, source: sliceOf(part.source) }, onProgress, signal);
});

/** Undefined where the disk does not take it: then memory has to do. */
async function laidDown(place: FileSystemFileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<File | undefined> {
  try {
    const open = await place.createSyncAccessHandle();
    try {
      open.truncate(bytes.length);
      if (open.write(bytes, { at: 0 }) !== bytes.length) return undefined;
    } finally {
      open.close();
    }
    return await place.getFile();
  } catch {
    return undefined;
  }
}

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
