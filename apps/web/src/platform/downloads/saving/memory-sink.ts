// Holds a file in memory until it is complete. For small files, and if the browser has no better way.
import { Failure } from '@furoshiki/api';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { saveAs } from './save-as.ts';
import { fitsInMemory, keepAndSave } from './saved-files.ts';

export function openMemorySink({ id, fileName, fileSize }: FileToSave): FileSink {
  let pieces: Blob[] = [];
  const drop = async () => {
    pieces = [];
  };
  return {
    startsAt: 0,
    // The browser may move a Blob to disk, but never an ArrayBuffer.
    write: async (bytes) => void pieces.push(new Blob([bytes])),
    async finish() {
      const blob = new Blob(pieces);
      await assertReadable(blob, fileSize);
      await (fitsInMemory(fileSize) ? keepAndSave(id, blob, fileName, drop) : saveAs(blob, fileName));
    },
    suspend: drop,
    discard: drop,
  };
}

/** A Blob that is too large has the right size but cannot be read. Saving it would fail silently. */
async function assertReadable(blob: Blob, fileSize: number): Promise<void> {
  try {
    const last = await blob.slice(-1).arrayBuffer();
    if (blob.size === fileSize && last.byteLength === 1) return;
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
  throw new Failure('SAVE_FAILED');
}
