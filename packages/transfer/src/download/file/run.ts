// The driver of one file's download: sink, grant, chunks, hand-over, confirmation. Nothing is handed over before all is opened.
import { type CipherKey, type Failure, type FailureCode, type PageFile, planOfChunks } from '@furoshiki/core';
import { assertNotCancelled, failureUnder } from '../../resilience/cancellation.ts';
import type { Destination, FileSink } from '../../ports.ts';
import { retryCall, withRetries } from '../../resilience/retry.ts';
import { createStore } from '../../store.ts';
import type { Confirmations } from './confirmations.ts';
import { planFetch } from './fetch-plan.ts';
import {
  type DownloadAction,
  type DownloadState,
  IDLE_DOWNLOAD,
  isDownloadRunning,
  reduceDownload,
} from './machine.ts';
import { receiveFile, type ReceivePorts } from './receive-file.ts';

export interface DownloadPorts extends ReceivePorts {
  confirmations: Confirmations;
}

export interface DownloadRequest {
  file: PageFile;
  /** Undefined where the file is not encrypted and nobody claims that it is. */
  key: CipherKey | undefined;
  destination: Destination;
}

export interface DownloadEngine {
  getState(): DownloadState;
  subscribe(listener: () => void): () => void;
  /**
   * Resolves when the download has ended, whatever the end: the state tells which.
   * Throws at once while another download runs.
   */
  start(request: DownloadRequest): Promise<void>;
  /**
   * The state changes at once; resolves when the sink has been let go of. What it holds is removed, or kept for another
   * try. Without effect once the file is being handed over.
   */
  cancel(keep?: 'keep'): Promise<void>;
}

export function createDownload(ports: DownloadPorts, settings: { lanes: number }): DownloadEngine {
  const store = createStore(reduceDownload, IDLE_DOWNLOAD);
  let cancelRun = async (_keep?: 'keep'): Promise<void> => {};

  return {
    getState: store.getState,
    subscribe: store.subscribe,
    start(request) {
      if (isDownloadRunning(store.getState())) throw new Error('A download is running');
      const dispatch = store.beginRun();
      const abort = new AbortController();
      const { fileName, fileSize, chunkSize } = request.file;
      const context = { ...settings, dispatch, signal: abort.signal };
      // A turn later, so that a subscriber can cancel from the very first state on.
      const ended = Promise.resolve().then(() => run(ports, request, context));
      cancelRun = (keep) => {
        dispatch({ type: 'cancel' });
        if (store.getState().phase === 'cancelled') abort.abort(keep);
        return ended;
      };
      dispatch({ type: 'start', file: { fileName, ...planOfChunks(fileSize, chunkSize) } });
      return ended;
    },
    cancel: (keep) => cancelRun(keep),
  };
}

interface RunContext {
  lanes: number;
  signal: AbortSignal;
  dispatch: (action: DownloadAction) => void;
}

async function run(ports: DownloadPorts, request: DownloadRequest, context: RunContext): Promise<void> {
  const { file, key, destination } = request;
  const { dispatch, signal, lanes } = context;
  let sink: FileSink | undefined;
  try {
    const plan = planFetch(file, key);
    // A platform may have to load something first, its worker for one: being offline for a moment is no failure.
    const opened = await withRetries(ports, retryCall, signal, () => destination.open(signal));
    sink = opened;
    const firstIndex = Math.ceil(opened.startsAt / plan.chunkSize);
    const wantsConfirmation = await receiveFile(ports, {
      file,
      plan,
      firstIndex,
      lanes,
      signal,
      wantsCrc32: false,
      onGranted: () => dispatch({ type: 'receive', plan, firstIndex }),
      onMoved: (index, chunk) => dispatch({ type: 'chunkMoved', index, chunk }),
      onChunk: ({ bytes }) => opened.write(bytes),
    });
    assertNotCancelled(signal);
    dispatch({ type: 'finish' });
    await opened.finish();
    dispatch({ type: 'complete' });
    if (!wantsConfirmation || (await ports.confirmations.confirm(file.id))) dispatch({ type: 'confirmed' });
  } catch (thrown) {
    const failure = failureUnder(signal, thrown);
    dispatch({ type: 'fail', failure });
    await letGo(sink, isResumable(failure, signal)).catch(() => {});
  }
}

/** What was kept would not help another try, or there can be none. */
const HOPELESS = new Set<FailureCode>(['DECRYPTION_FAILED', 'SAVE_FAILED', 'NOT_FOUND', 'DOWNLOAD_LIMIT_REACHED']);

function isResumable({ code }: Failure, signal: AbortSignal): boolean {
  return signal.aborted ? signal.reason === 'keep' : !HOPELESS.has(code);
}

async function letGo(sink: FileSink | undefined, keeps: boolean): Promise<void> {
  await (keeps ? sink?.suspend() : sink?.discard());
}
