// The driver of an upload: file after file, then one page; and no trace on the server of what failed or was cancelled.
import type { CipherKey, RetentionDays } from '@furoshiki/core';
import { call, type CallPorts, neverCancelled } from '../call.ts';
import { assertNotCancelled, failureUnder } from '../cancellation.ts';
import { runLanes } from '../lanes.ts';
import type { LocalFile } from '../ports.ts';
import { createStore } from '../store.ts';
import { IDLE_UPLOAD, isUploadRunning, reduceUpload, type UploadResult, type UploadState } from './machine.ts';
import { type OpenUpload, type UploadContext, uploadFile, type UploadPorts } from './upload-file.ts';

const CANCEL_WAIT_MS = 3_000;

export interface UploadRequest<Source> {
  files: readonly LocalFile<Source>[];
  key: CipherKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
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
}

export function createUpload<Source>(ports: UploadPorts<Source>, settings: { lanes: number }): UploadEngine<Source> {
  const store = createStore(reduceUpload, IDLE_UPLOAD);
  let cancelRun = async (): Promise<void> => {};

  return {
    getState: store.getState,
    subscribe: store.subscribe,
    start(request) {
      if (isUploadRunning(store.getState())) throw new Error('An upload is running');
      if (request.files.length === 0) throw new Error('No file to upload');
      const dispatch = store.beginRun();
      const abort = new AbortController();
      const context = { ...settings, dispatch, signal: abort.signal };
      // A turn later, so that a subscriber can cancel from the very first state on.
      const ended = Promise.resolve().then(() => run(ports, request, context));
      cancelRun = async () => {
        dispatch({ type: 'cancel' });
        abort.abort();
        const waiting = new AbortController();
        await Promise.race([ended, ports.clock.sleep(CANCEL_WAIT_MS, waiting.signal)]);
        waiting.abort();
        dispatch({ type: 'cancelled' });
      };
      dispatch({ type: 'start', files: request.files.map(({ name, size }) => ({ name, size })) });
      return ended;
    },
    cancel: () => cancelRun(),
  };
}

type RunContext = Omit<UploadContext, 'onOpen'>;

interface CompletedFile {
  downloadId: string;
  pageID: string;
}

/** What a run has left on the server so far. */
interface Traces {
  completed: CompletedFile[];
  open: OpenUpload | undefined;
}

async function run<Source>(
  ports: UploadPorts<Source>,
  { files, ...rest }: UploadRequest<Source>,
  context: RunContext,
): Promise<void> {
  const traces: Traces = { completed: [], open: undefined };
  const { dispatch, signal } = context;
  const unsubscribe = ports.network.subscribe(() =>
    dispatch({ type: 'networkMoved', isCutOff: ports.network.isCutOff() }),
  );
  try {
    for (const file of files) {
      if (traces.completed.length > 0) dispatch({ type: 'nextFile' });
      const onOpen = (open: OpenUpload) => void (traces.open = open);
      traces.completed.push(await uploadFile(ports, { file, ...rest }, { ...context, onOpen }));
      traces.open = undefined;
    }
    const result = await group(ports, traces.completed, signal);
    assertNotCancelled(signal);
    dispatch({ type: 'finish', ...result });
  } catch (thrown) {
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await removeTraces(ports, traces, context.lanes);
    dispatch({ type: 'cancelled' });
  } finally {
    unsubscribe();
  }
}

/** Always asked for, also for one file: grouping is what closes the page. */
async function group(ports: CallPorts, completed: CompletedFile[], signal: AbortSignal): Promise<UploadResult> {
  const fileIds = completed.map((file) => file.downloadId);
  try {
    const { pageID } = await call(ports, 'groupFiles', { body: { fileIDs: fileIds } }, signal);
    return { pageID, fileIds };
  } catch (thrown) {
    const [only, ...others] = completed;
    // One file is reachable on the page that completing made. Several are on no page together: half a hand-over is none.
    if (!only || others.length > 0) throw thrown;
    return { pageID: only.pageID, fileIds };
  }
}

/** Best effort. What cannot be removed now, the server's sweeper removes later. */
async function removeTraces(ports: CallPorts, { completed, open }: Traces, lanes: number): Promise<void> {
  const signal = neverCancelled();
  const removals = completed.map((file) => () => deleteFile(ports, file.downloadId, signal));
  if (open) removals.unshift(() => removeOpen(ports, open, signal));
  await runLanes(lanes, removals, signal, (remove) => remove().catch(() => {}));
}

async function removeOpen(ports: CallPorts, { name, completion }: OpenUpload, signal: AbortSignal): Promise<void> {
  try {
    // An answer that got lost may have completed the file. Asking again is harmless, and names what to delete.
    const completed = completion && (await call(ports, 'completeUpload', { body: completion }, signal));
    if (completed) return await deleteFile(ports, completed.downloadId, signal);
  } catch {
    // Not complete, then: it is still there to be cancelled.
  }
  await call(ports, 'cancelUpload', { body: name }, signal);
}

async function deleteFile(ports: CallPorts, id: string, signal: AbortSignal): Promise<void> {
  await call(ports, 'deleteFile', { params: { id } }, signal);
}
