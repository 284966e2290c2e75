// Stages a file in the origin's private file system and, when it is complete, saves it as a browser download.
import { Failure } from '@furoshiki/api';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { startWorker } from '../../workers/start-worker.ts';
import type { FileToWrite, StagingRequest } from '../../workers/staging-request.ts';
import { createWorkerCaller, type WorkerCaller } from '../../workers/worker-caller.ts';
import { keepAndSave } from './saved-files.ts';
import { orSaveFailed } from './or-save-failed.ts';
import { stageFile } from './staging.ts';

/** A worker is replaced after so many bytes, because its memory is freed only when it ends. */
const BYTES_PER_WORKER = 512 * 1024 ** 2;

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
      await keepAndSave(toSave.id, whole, toSave.fileName, staged.remove);
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
