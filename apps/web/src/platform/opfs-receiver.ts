// Receives a file into the origin's private file system and, when it is whole, hands it over as a download.
import { Failure } from '@furoshiki/core';
import type { FileReceiver } from '@furoshiki/transfer';
import { type StagedFile, stageFile } from './staging.ts';
import type { DownloadRequest } from './workers/download-request.ts';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller } from './workers/worker-caller.ts';

export const opfsReceiver: FileReceiver = {
  async open(file, key) {
    const staged = await stage();
    const caller = createWorkerCaller<DownloadRequest, void>(startWorker('download'));
    async function discard(): Promise<void> {
      // A file whose handle is open cannot be removed, and ending a worker does not close it at once.
      await caller.call({ type: 'close' }).catch(() => undefined);
      caller.end();
      await staged.remove();
    }
    try {
      await caller.call({ type: 'open', staged: staged.handle, file, key });
    } catch (error) {
      await discard().catch(() => undefined);
      throw error;
    }
    return {
      receive: (index, url, onReceived, signal) => caller.call({ type: 'receive', index, url }, onReceived, signal),
      async finish() {
        await caller.call({ type: 'close' });
        caller.end();
        // The browser copies from the staged file in its own time, so it stays until the tab is closed.
        saveAs(await staged.handle.getFile(), file.fileName);
      },
      discard,
    };
  },
};

async function stage(): Promise<StagedFile> {
  try {
    return await stageFile();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}

function saveAs(staged: File, fileName: string): void {
  const url = URL.createObjectURL(new Blob([staged], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Long enough for the browser to have opened it; the Blob itself lives on while it is read.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
