// The driver of an upload: file after file, then one page; and nothing left on the server of what failed or was cancelled.
import type { RetentionDays } from '@furoshiki/core';
import { call, type CallPorts } from '../resilience/call.ts';
import { assertNotCancelled, failureUnder } from '../resilience/cancellation.ts';
import { unknownCapacity } from '../concurrency/adaptive-concurrency.ts';
import type { LocalFile, UploadKey } from '../ports.ts';
import { retryCall, retryCompletion } from '../resilience/retry.ts';
import { createStore } from '../store.ts';
import type { CompletedFile, OpenFileCheckpoint, ResumeRecord, UploadCheckpoint } from './checkpoint.ts';
import { IDLE_UPLOAD, isUploadRunning, reduceUpload, type UploadResult, type UploadState } from './machine.ts';
import { cleanUp, cleanUpOnUnload, type Leftovers } from './cleanup.ts';
import { type UploadContext, uploadFile, type UploadPorts, type UploadSettings } from './upload-file.ts';

const CANCEL_WAIT_MS = 3_000;

export interface UploadRequest<Source> {
  files: readonly LocalFile<Source>[];
  /** Files that are not encrypted are taken by servers that allow it. */
  key: UploadKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
  /** Where it is written down how far the upload has come. Without one it cannot be resumed. */
  resumeRecord?: ResumeRecord | undefined;
  /** Where an earlier page had come to, with the same files and the same key. */
  resume?: UploadCheckpoint | undefined;
}

export interface UploadEngine<Source> {
  getState(): UploadState;
  subscribe(listener: () => void): () => void;
  /**
   * Resolves when the upload has ended, clean-up included, whatever the end: the state tells which.
   * Throws at once while another upload runs, and where there is no file.
   */
  start(request: UploadRequest<Source>): Promise<void>;
  /** Resolves when the state is `cancelled`, after 3 s at most: a slow clean-up goes on unwatched. */
  cancel(): Promise<void>;
  /** The page is being closed. What nobody can go on with is taken off the server. */
  leave(): void;
}

export function createUpload<Source>(ports: UploadPorts<Source>, settings: UploadSettings): UploadEngine<Source> {
  const store = createStore(reduceUpload, IDLE_UPLOAD);
  let cancelRun = async (): Promise<void> => {};
  let leaveRun = (): void => {};

  return {
    getState: store.getState,
    subscribe: store.subscribe,
    start(request) {
      if (isUploadRunning(store.getState())) throw new Error('An upload is running');
      if (request.files.length === 0) throw new Error('No file to upload');
      const dispatch = store.beginRun();
      const abort = new AbortController();
      const context = { ...settings, capacity: unknownCapacity(), dispatch, signal: abort.signal };
      const leftovers: Leftovers = { completed: [...(request.resume?.completed ?? [])], open: request.resume?.open };
      const fileIndex = Math.min(leftovers.completed.length, request.files.length - 1);
      // A turn later, so that a subscriber can cancel from the very first state on.
      const ended = Promise.resolve().then(() => run(ports, request, leftovers, context));
      cancelRun = async () => {
        dispatch({ type: 'cancel' });
        abort.abort();
        const waiting = new AbortController();
        await Promise.race([ended, ports.clock.sleep(CANCEL_WAIT_MS, waiting.signal)]);
        waiting.abort();
        dispatch({ type: 'cancelled' });
      };
      leaveRun = () => {
        if (!request.resumeRecord?.isKept()) cleanUpOnUnload(ports.api, leftovers);
      };
      dispatch({ type: 'start', files: request.files.map(({ name, size }) => ({ name, size })), fileIndex });
      return ended;
    },
    cancel: () => cancelRun(),
    leave: () => leaveRun(),
  };
}

type RunContext = Omit<UploadContext, 'onOpen' | 'onCheckpoint'>;

async function run<Source>(
  ports: UploadPorts<Source>,
  { files, resumeRecord, resume, ...rest }: UploadRequest<Source>,
  leftovers: Leftovers,
  context: RunContext,
): Promise<void> {
  const { dispatch, signal } = context;
  const unsubscribe = ports.network.subscribe(() =>
    dispatch({ type: 'networkChanged', isWaitingForNetwork: ports.network.isUnreachable() }),
  );
  const writeCheckpoint = (open?: OpenFileCheckpoint) =>
    resumeRecord?.write({ completed: [...leftovers.completed], open });
  const fileContext: UploadContext = {
    ...context,
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
    // Handed over: from here on it is no leftover any more.
    leftovers.completed = [];
    resumeRecord?.remove();
    dispatch({ type: 'finish', ...result });
  } catch (thrown) {
    resumeRecord?.remove();
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await cleanUp(ports, leftovers);
    dispatch({ type: 'cancelled' });
  } finally {
    unsubscribe();
  }
}

/** An earlier page had completed every file: only their page is left to be made. */
function skipToCompleting(dispatch: UploadContext['dispatch']): void {
  dispatch({ type: 'verify' });
  dispatch({ type: 'complete' });
}

/** Always asked for, also for one file: grouping is what closes the page. */
async function group(ports: CallPorts, completed: CompletedFile[], signal: AbortSignal): Promise<UploadResult> {
  const fileIds = completed.map((file) => file.downloadId);
  // One file is reachable on the page that completing made. Several are on no page together: half a hand-over is none.
  const only = completed.length === 1 ? completed[0] : undefined;
  try {
    const { pageID: pageId } = await call(
      ports,
      'groupFiles',
      { body: { fileIDs: fileIds } },
      signal,
      only ? retryCall : retryCompletion,
    );
    return { pageId, fileIds };
  } catch (thrown) {
    if (!only) throw thrown;
    return { pageId: only.pageId, fileIds };
  }
}
