// Writes a file straight to the place that the user chose. It appears there when it is closed.
import { Failure } from '@furoshiki/api';
import { safeFileName } from '@furoshiki/format';
import type { Destination, FileToSave } from '@furoshiki/transfer';
import { browserCrypto } from '../../device/browser-crypto.ts';
import { orSaveFailed } from './or-save-failed.ts';

interface SavePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

export const hasPicker = (): boolean => 'showSaveFilePicker' in globalThis;

export async function pickDestination({ fileName, fileSize }: FileToSave): Promise<Destination> {
  const handle = await pick(safeFileName(fileName));
  return {
    async open() {
      const writable = await orSaveFailed(() => handle.createWritable());
      let written = 0;
      const abort = () => writable.abort();
      return {
        startsAt: 0,
        async write(bytes) {
          written += bytes.length;
          await orSaveFailed(() => writable.write(bytes));
          browserCrypto.release(bytes.buffer);
        },
        async finish() {
          if (written !== fileSize) throw new Failure('SAVE_FAILED');
          await orSaveFailed(() => writable.close());
        },
        // A file that is not closed is not kept.
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
    // The user declined, or the browser closed the dialog.
    throw new Failure('CANCELLED', {}, { cause });
  }
  throw new Failure('SAVE_UNSUPPORTED');
}
