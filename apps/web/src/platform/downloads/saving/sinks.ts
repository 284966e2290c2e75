// Three of the ways to save a file: staged in the private file system, written to a place that the user chose, or held
// in memory.
import { Failure } from '@furoshiki/api';
import { MB, safeFileName } from '@furoshiki/format';
import type { Destination, FileSink, FileToSave } from '@furoshiki/transfer';
import { browserCrypto } from '../../device/browser-crypto.ts';
import { createWorkerCaller, startWorker, type WorkerCaller } from '../../workers/worker-pools.ts';
import { fitsInMemory } from './saved-files.ts';
import { keepAndSaveAny, saveAnyOnce, type StreamedFile } from './saved-folders.ts';
import { type FileToWrite, stageFile, type StagingRequest } from './staging.ts';

/** A worker is replaced after so many bytes, because its memory is freed only when it ends. */
const BYTES_PER_WORKER = 512 * MB;

type Writer = WorkerCaller<StagingRequest, void>;

export async function openStagingSink(toSave: FileToSave): Promise<FileSink> {
  const staged = await orSaveFailed(() => stageFile(toSave));
  let position = staged.startsAt;
  let writer: Writer | undefined;
  let bytesRemaining = 0;

  async function openWriter(): Promise<Writer> {
    if (writer && bytesRemaining > 0) return writer;
    await closeWriter();
    writer = await startWriter({ ...staged, startsAt: position });
    bytesRemaining = BYTES_PER_WORKER;
    return writer;
  }

  /** A file with an open handle cannot be removed, and ending a worker does not close its handles at once. */
  async function closeWriter(): Promise<void> {
    const open = writer;
    writer = undefined;
    await open?.call({ type: 'close' }).finally(open.end);
  }

  // Load the first worker now: if that fails, nothing was requested from the server yet.
  await openWriter().catch(async (failure: unknown) => {
    await staged.remove().catch(() => undefined);
    throw failure;
  });

  return {
    startsAt: staged.startsAt,
    async write(bytes) {
      const { length } = bytes;
      const open = await openWriter();
      await open.call({ type: 'write', bytes }, undefined, undefined, [bytes.buffer]);
      position += length;
      bytesRemaining -= length;
    },
    async finish() {
      // The browser can only save plaintext. From now until it is removed, it is on the disk.
      await (await openWriter()).call({ type: 'decrypt' });
      await closeWriter();
      const whole = await orSaveFailed(() => staged.file.getFile());
      if (whole.size !== toSave.fileSize) throw new Failure('SAVE_FAILED');
      // The browser copies the staged file in the background, so it stays until the tab is closed.
      await keepAndSaveAny(toSave, whole, staged.remove);
      await staged.abandon();
    },
    async suspend() {
      await closeWriter().catch(() => undefined);
      staged.release();
    },
    async discard() {
      await closeWriter().catch(() => undefined);
      await staged.remove();
    },
  };
}

async function startWriter({ file, checkpoint, identity, nonce, key, startsAt }: FileToWrite): Promise<Writer> {
  const writer: Writer = createWorkerCaller(startWorker('staging'));
  try {
    await writer.call({ type: 'open', file, checkpoint, identity, nonce, key, startsAt });
    return writer;
  } catch (failure) {
    writer.end();
    throw failure;
  }
}

interface SavePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Writes a file straight to the place that the user chose. It appears there when it is closed. */
export const hasPicker = (): boolean => 'showSaveFilePicker' in globalThis;

export async function pickDestination({ fileName, fileSize }: StreamedFile): Promise<Destination> {
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
          if (fileSize !== undefined && written !== fileSize) throw new Failure('SAVE_FAILED');
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

/** Holds a file in memory until it is complete. For small files, and if the browser has no better way. */
export function openMemorySink(toSave: FileToSave): FileSink {
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
      await assertReadable(blob, toSave.fileSize);
      await (fitsInMemory(toSave) ? keepAndSaveAny(toSave, blob, drop) : saveAnyOnce(toSave, blob));
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

/** Turns any error of the browser's file system into SAVE_FAILED. */
async function orSaveFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
