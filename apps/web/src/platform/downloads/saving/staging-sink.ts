// Stages a file in the origin's private file system and, when it is whole, hands it over as a download.
import { Failure } from '@furoshiki/core';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { startWorker } from '../../workers/start-worker.ts';
import type { StagingRequest } from '../../workers/staging-request.ts';
import { createWorkerCaller, type WorkerCaller } from '../../workers/worker-caller.ts';
import { handOver } from './saved-files.ts';
import { type StagedFile, stageFile } from './staging.ts';

/** As with fetching: the end of a worker gives back what is left. */
const BYTES_PER_WORKER = 512 * 1024 ** 2;

type Writer = WorkerCaller<StagingRequest, void>;

export async function openStagingSink(toSave: FileToSave): Promise<FileSink> {
  const staged = await saving(() => stageFile(toSave));
  let position = staged.startsAt;
  let writer: Writer | undefined;
  let bytesLeft = 0;

  async function openWriter(): Promise<Writer> {
    if (writer && bytesLeft > 0) return writer;
    await closeWriter();
    writer = await startWriter(staged, position);
    bytesLeft = BYTES_PER_WORKER;
    return writer;
  }

  /** A file whose handle is open cannot be removed, and ending a worker does not close it at once. */
  async function closeWriter(): Promise<void> {
    const open = writer;
    writer = undefined;
    await open?.call({ type: 'close' }).finally(open.end);
  }

  // The first worker is loaded now: where that fails, nothing was asked of the server yet.
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
      bytesLeft -= length;
    },
    async finish() {
      await closeWriter();
      const whole = await saving(() => staged.file.getFile());
      if (whole.size !== toSave.fileSize) throw new Failure('SAVE_FAILED');
      // The browser copies from the staged file in its own time, so it stays until the tab is closed.
      handOver(toSave.id, whole, toSave.fileName, staged);
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

async function startWriter({ file, mark, identity }: StagedFile, startsAt: number): Promise<Writer> {
  const writer: Writer = createWorkerCaller(startWorker('staging'));
  try {
    await writer.call({ type: 'open', file, mark, identity, startsAt });
    return writer;
  } catch (failure) {
    writer.end();
    throw failure;
  }
}

async function saving<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
