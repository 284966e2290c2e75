// The upload engine: its states, and how an upload is started and cancelled. What runs the upload is passed in, so that a
// page can load that code later than its first paint.
import type { RetentionDays } from '@furoshiki/api';
import { createEngine, type RunContext } from '../engine.ts';
import type { Api, Clock, LocalFile, UploadKey } from '../ports.ts';
import type { CompletedFile, ResumeRecord, UploadCheckpoint } from './resume/journal.ts';
import { IDLE_UPLOAD, isUploadRunning, reduceUpload, type UploadAction, type UploadState } from './machine.ts';
import type { UploadNote } from './sealing.ts';
import { sizeToSend } from './files-to-send.ts';
import type { OpenUpload } from './upload-file.ts';

const CANCEL_WAIT_MS = 3_000;

export interface UploadRequest<Source> {
  files: readonly LocalFile<Source>[];
  /** A server accepts unencrypted files only if its operator allows them. */
  key: UploadKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
  /** Hides names, types and exact sizes from the server. Only for encrypted files. */
  hidesNames?: boolean | undefined;
  note?: UploadNote | undefined;
  /** Receives the checkpoints. Without it the upload cannot be resumed. */
  resumeRecord?: ResumeRecord | undefined;
  /** The checkpoint of an earlier tab, with the same files and the same key. */
  resume?: UploadCheckpoint | undefined;
}

export interface UploadEngine<Source> {
  getState(): UploadState;
  subscribe(listener: () => void): () => void;
  /**
   * Resolves when the upload and its cleanup have ended. `getState` then returns the result.
   * Throws at once while another upload runs, or if there is no file.
   */
  start(request: UploadRequest<Source>): Promise<void>;
  /**
   * Resolves when the state is `cancelled`, after 3 s at most: a slow cleanup continues in the background. With `keep`,
   * what is on the server stays, and so does the resume record.
   */
  cancel(keep?: 'keep'): Promise<void>;
  /** Call when the tab is being closed. Removes from the server what no other tab can resume. */
  leave(): void;
}

export interface Leftovers {
  completed: readonly CompletedFile[];
  open: readonly OpenUpload[];
}

/** Runs an upload until it has ended, and dispatches what happens. Never rejects. */
export type RunUpload<Source> = (
  request: UploadRequest<Source>,
  onServer: FilesOnServer,
  context: RunContext<UploadAction>,
) => Promise<void>;

export function createUploadEngine<Source>(
  { api, clock }: { api: Api; clock: Clock },
  run: RunUpload<Source>,
): UploadEngine<Source> {
  const engine = createEngine<UploadState, UploadAction>(reduceUpload, IDLE_UPLOAD);
  let onTabClosed = (): void => {};

  return {
    getState: engine.getState,
    subscribe: engine.subscribe,
    start(request) {
      if (isUploadRunning(engine.getState())) throw new Error('An upload is running');
      if (request.files.length === 0) throw new Error('No file to upload');
      const { files, hidesNames = false, resume, resumeRecord } = request;
      const onServer = filesOnServer(resume);
      onTabClosed = () => {
        if (!resumeRecord?.isStored()) cleanUpOnUnload(api, onServer.leftovers());
      };
      const facts = files.map(({ name, size }) => ({ name, size: sizeToSend(size, hidesNames) }));
      return engine.start({ type: 'start', files: facts, arrived: new Set(onServer.completed.keys()) }, (context) =>
        run(request, onServer, context),
      );
    },
    async cancel(keep) {
      const cancelled = engine.cancel(keep);
      if (!cancelled) return;
      const waiting = new AbortController();
      await Promise.race([cancelled.ended, clock.sleep(CANCEL_WAIT_MS, waiting.signal)]);
      waiting.abort();
      cancelled.dispatch({ type: 'cancelled' });
    },
    leave: () => onTabClosed(),
  };
}

export type FilesOnServer = ReturnType<typeof filesOnServer>;

/** What the files of an upload have on the server, by the index of the file. */
function filesOnServer({ pageSalt, completed = [], open = [] }: Partial<UploadCheckpoint> = {}) {
  const onServer = {
    pageSalt,
    completed: new Map(completed.map((file) => [file.fileIndex, file])),
    open: new Map<number, OpenUpload>(open.map((file) => [file.fileIndex, file])),
    checkpoints: new Map(open.map((file) => [file.fileIndex, file])),
  };
  return Object.assign(onServer, {
    leftovers: () => ({ completed: [...onServer.completed.values()], open: [...onServer.open.values()] }),
    checkpoint: (): UploadCheckpoint => ({
      pageSalt: onServer.pageSalt,
      completed: [...onServer.completed.values()],
      open: [...onServer.checkpoints.values()],
    }),
  });
}

/** Like cleanUp, while the tab is being closed. Responses are lost, so it sends only the final calls. */
function cleanUpOnUnload(api: Api, { completed, open }: Leftovers): void {
  for (const { uploadRef } of open) api.callOnUnload('cancelUpload', { body: uploadRef });
  for (const { downloadId } of completed) api.callOnUnload('deleteFile', { params: { id: downloadId } });
}
