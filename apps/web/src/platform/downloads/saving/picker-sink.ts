// Writes a file straight to where the person said. The browser shows it there when it is closed, and not before.
import { Failure, safeFileName } from '@furoshiki/core';
import type { Destination, FileToSave } from '@furoshiki/transfer';

interface SavePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

export const hasPicker = (): boolean => 'showSaveFilePicker' in globalThis;

export async function pickDestination({ fileName, fileSize }: FileToSave): Promise<Destination> {
  const handle = await pick(safeFileName(fileName));
  return {
    async open() {
      const writable = await saving(() => handle.createWritable());
      let written = 0;
      const abort = () => writable.abort();
      return {
        startsAt: 0,
        async write(bytes) {
          written += bytes.length;
          await saving(() => writable.write(bytes));
        },
        async finish() {
          if (written !== fileSize) throw new Failure('SAVE_FAILED');
          await saving(() => writable.close());
        },
        // What is not closed is not kept.
        suspend: abort,
        discard: abort,
      };
    },
  };
}

async function pick(suggestedName: string): Promise<FileSystemFileHandle> {
  try {
    const handle = await (globalThis as SavePicker).showSaveFilePicker?.({ suggestedName });
    if (handle) return handle;
  } catch (cause) {
    // Declined, or shut by the browser.
    throw new Failure('CANCELLED', {}, { cause });
  }
  throw new Failure('SAVE_UNSUPPORTED');
}

async function saving<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
