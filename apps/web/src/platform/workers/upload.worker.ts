// Reads, seals and sends parts, so that their bytes never touch the main thread.
import { createPartSender } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';
import { browserStorage } from '../http/object-storage.ts';
import { serveCalls } from './serve-calls.ts';
import type { UploadRequest } from './upload-request.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const sender = createPartSender({
  crypto: browserCrypto,
  storage: browserStorage,
  // A Blob holds a copy in memory if there is no file, or if the disk refuses the part.
  spool: async (pieces, { spoolFile }: UploadRequest) =>
    (spoolFile && (await writeToFile(spoolFile, pieces))) ?? new Blob(pieces),
});

serveCalls(self, sender.send);

/** Returns undefined if the disk refuses the bytes. */
async function writeToFile(spoolFile: FileSystemFileHandle, pieces: Bytes[]): Promise<File | undefined> {
  try {
    const open = await spoolFile.createSyncAccessHandle();
    try {
      let position = 0;
      for (const piece of pieces) {
        if (open.write(piece, { at: position }) !== piece.length) return undefined;
        position += piece.length;
      }
      open.truncate(position);
    } finally {
      open.close();
    }
    return await spoolFile.getFile();
  } catch {
    return undefined;
  }
}
