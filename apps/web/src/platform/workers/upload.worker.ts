// Reads, seals and sends parts, so that their bytes never touch the main thread.
import { Failure } from '@furoshiki/api';
import { createPartSender } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';
import { browserStorage } from '../http/object-storage.ts';
import type { UploadRequest } from '../uploads/spooled-sender.ts';
import { serveCalls } from './serve-calls.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const sender = createPartSender({
  crypto: browserCrypto,
  storage: browserStorage,
  // Without a file a Blob holds a copy in memory.
  spool: async (pieces, { spoolFile }: UploadRequest) =>
    spoolFile ? writeToFile(spoolFile, pieces) : new Blob(pieces),
});

serveCalls(self, sender.send);

/** Throws SAVE_FAILED if the disk refuses the bytes. */
async function writeToFile(spoolFile: FileSystemFileHandle, pieces: Bytes[]): Promise<File> {
  try {
    const open = await spoolFile.createSyncAccessHandle();
    try {
      let position = 0;
      for (const piece of pieces) {
        if (open.write(piece, { at: position }) !== piece.length) throw new Failure('SAVE_FAILED');
        position += piece.length;
      }
      open.truncate(position);
    } finally {
      open.close();
    }
    return await spoolFile.getFile();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
