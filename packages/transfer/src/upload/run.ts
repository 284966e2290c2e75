// Runs an upload: sends one file after another, then groups them on one page. A failed or cancelled upload is removed from
// the server.
import type { RetentionDays } from '@furoshiki/core';
import { unknownCapacity } from '../concurrency/adaptive-concurrency.ts';
import { createEngine, type RunContext } from '../engine.ts';
import type { LocalFile, UploadKey } from '../ports.ts';
import { call, type CallPorts } from '../resilience/call.ts';
import { assertNotCancelled, failureUnder } from '../resilience/cancellation.ts';
import { retryCall, retryCompletion } from '../resilience/retry.ts';
import type { CompletedFile, OpenFileCheckpoint, ResumeRecord, UploadCheckpoint } from './checkpoint.ts';
import { cleanUp, cleanUpOnUnload, type Leftovers } from './cleanup.ts';
import {
  IDLE_UPLOAD,
  isUploadRunning,
  reduceUpload,
  type UploadAction,
  type UploadResult,
  type UploadState,
} from './machine.ts';
import { type UploadContext, uploadFile, type UploadPorts, type UploadSettings } from './upload-file.ts';

const CANCEL_WAIT_MS = 3_000;

export interface UploadRequest<Source> {
  files: readonly LocalFile<Source>[];
  /** A server accepts unencrypted files only if its operator allows them. */
  key: UploadKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
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
  /** Resolves when the state is `cancelled`, after 3 s at most: a slow cleanup continues in the background. */
  cancel(): Promise<void>;
  /** Call when the tab is being closed. Removes from the server what no other tab can resume. */
  leave(): void;
}

export function createUpload<Source>(ports: UploadPorts<Source>, settings: UploadSettings): UploadEngine<Source> {
  const engine = createEngine<UploadState, UploadAction>(reduceUpload, IDLE_UPLOAD);
  let onTabClosed = (): void => {};

  return {
    getState: engine.getState,
    subscribe: engine.subscribe,
    start(request) {
      if (isUploadRunning(engine.getState())) throw new Error('An upload is running');
      if (request.files.length === 0) throw new Error('No file to upload');
      const { files, resume, resumeRecord } = request;
      const leftovers: Leftovers = { completed: [...(resume?.completed ?? [])], open: resume?.open };
      onTabClosed = () => {
        if (!resumeRecord?.isStored()) cleanUpOnUnload(ports.api, leftovers);
      };
      const fileIndex = Math.min(leftovers.completed.length, files.length - 1);
      const facts = files.map(({ name, size }) => ({ name, size }));
      return engine.start({ type: 'start', files: facts, fileIndex }, (context) =>
        run(ports, request, leftovers, { ...settings, ...context }),
      );
    },
    async cancel() {
      const cancelled = engine.cancel();
      if (!cancelled) return;
      const waiting = new AbortController();
      await Promise.race([cancelled.ended, ports.clock.sleep(CANCEL_WAIT_MS, waiting.signal)]);
      waiting.abort();
      cancelled.dispatch({ type: 'cancelled' });
    },
    leave: () => onTabClosed(),
  };
}

async function run<Source>(
  ports: UploadPorts<Source>,
  { files, resumeRecord, resume, ...rest }: UploadRequest<Source>,
  leftovers: Leftovers,
  context: RunContext<UploadAction> & UploadSettings,
): Promise<void> {
  const { dispatch, signal } = context;
  const unsubscribe = ports.network.subscribe(() =>
    dispatch({ type: 'networkChanged', isWaitingForNetwork: ports.network.isUnreachable() }),
  );
  const writeCheckpoint = (open?: OpenFileCheckpoint) =>
    resumeRecord?.write({ completed: [...leftovers.completed], open });
  const fileContext: UploadContext = {
    ...context,
    capacity: unknownCapacity(),
    onCheckpoint: writeCheckpoint,
    onOpen: (open) => void (leftovers.open = open),
  };
  const completedBefore = leftovers.completed.length;
  try {
    for (const [index, file] of files.entries()) {
      if (index < completedBefore) continue;
      if (index > completedBefore) dispatch({ type: 'nextFile' });
      const job = { file, ...rest, resume: index === completedBefore ? resume?.open : undefined };
      leftovers.completed.push(await uploadFile(ports, job, fileContext));
      leftovers.open = undefined;
      writeCheckpoint();
    }
    if (completedBefore === files.length) skipToCompleting(dispatch);
    const result = await group(ports, leftovers.completed, signal);
    assertNotCancelled(signal);
    // The files now belong to their page, so nothing is left to clean up.
    leftovers.completed = [];
    resumeRecord?.remove();
    dispatch({ type: 'finish', ...result });
  } catch (thrown) {
    resumeRecord?.remove();
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await cleanUp(ports, leftovers);
    // Ends the state `cancelling`. After a failure the state is `failed`, and the machine ignores this action.
    dispatch({ type: 'cancelled' });
  } finally {
    unsubscribe();
  }
}

/** An earlier tab has completed every file: only their page remains to be created. */
function skipToCompleting(dispatch: UploadContext['dispatch']): void {
  dispatch({ type: 'verify' });
  dispatch({ type: 'complete' });
}

/** Also called for one file: grouping is what closes the page. */
async function group(ports: CallPorts, completed: CompletedFile[], signal: AbortSignal): Promise<UploadResult> {
  const fileIds = completed.map((file) => file.downloadId);
  // A single file is already on the page that completing created. Several files have no page in common without this call.
  const only = completed.length === 1 ? completed[0] : undefined;
  const policy = only ? retryCall : retryCompletion;
  try {
    const { pageID: pageId } = await call(ports, 'groupFiles', { body: { fileIDs: fileIds } }, signal, policy);
    return { pageId, fileIds };
  } catch (thrown) {
    if (!only) throw thrown;
    return { pageId: only.pageId, fileIds };
  }
}
