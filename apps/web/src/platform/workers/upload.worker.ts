// Reads, seals and sends parts, so that their bytes never touch the main thread.
import { Failure } from '@furoshiki/core';
import { createMutex, type PartSource, sendPart } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';
import { browserStorage } from '../http/object-storage.ts';
import { serveCalls } from './serve-calls.ts';
import type { UploadRequest } from './upload-request.ts';

const runExclusive = createMutex();

serveCalls<UploadRequest, string>(self, ({ spoolFile, ...part }, onProgress, signal) => {
  const spool = async (bytes: Uint8Array<ArrayBuffer>) => (spoolFile && (await spooled(spoolFile, bytes))) ?? bytes;
  const ports = { crypto: browserCrypto, storage: browserStorage, runExclusive, spool };
  return sendPart(ports, { ...part, source: sliceOf(part.source) }, onProgress, signal);
});

/** Undefined where the disk does not take it: then memory has to do. */
async function spooled(spoolFile: FileSystemFileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<File | undefined> {
  try {
    const open = await spoolFile.createSyncAccessHandle();
    try {
      open.truncate(bytes.length);
      if (open.write(bytes, { at: 0 }) !== bytes.length) return undefined;
    } finally {
      open.close();
    }
    return await spoolFile.getFile();
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
