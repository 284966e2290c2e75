// Holds a file in memory until it is whole. For small files, where a browser has nothing better.
import { Failure } from '@furoshiki/core';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { saveAs } from './save-as.ts';

export function openMemorySink({ fileName, fileSize }: FileToSave): FileSink {
  let pieces: Blob[] = [];
  const drop = async () => {
    pieces = [];
  };
  return {
    startsAt: 0,
    // A Blob may be moved to disk by the browser, an ArrayBuffer never.
    write: async (bytes) => void pieces.push(new Blob([bytes])),
    async finish() {
      const whole = new Blob(pieces);
      await assertReadable(whole, fileSize);
      saveAs(whole, fileName);
    },
    suspend: drop,
    discard: drop,
  };
}

/** A Blob that is too large looks right and cannot be read: then no file would appear, and nobody would know why. */
async function assertReadable(whole: Blob, fileSize: number): Promise<void> {
  try {
    const last = await whole.slice(-1).arrayBuffer();
    if (whole.size === fileSize && last.byteLength === 1) return;
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
  throw new Failure('SAVE_FAILED');
}
