// The driver of one file's download: grant, chunks, hand-over, confirmation. Nothing is handed over before all is opened.
import {
  asFailure,
  type CipherKey,
  Failure,
  MAX_PARTS,
  type PageFile,
  planOfChunks,
  type SealedFile,
} from '@furoshiki/core';
import { call, type CallPorts, neverCancelled } from '../call.ts';
import { assertNotCancelled, failureUnder } from '../cancellation.ts';
import { indexesUpTo, runLanes } from '../lanes.ts';
import type { FileReceiver, IncomingFile } from '../ports.ts';
import { isUrlRefused, retryCall, retryPart, withRetries } from '../retry.ts';
import { createStore } from '../store.ts';
import {
  type ChunkState,
  type DownloadAction,
  type DownloadState,
  IDLE_DOWNLOAD,
  isDownloadRunning,
  reduceDownload,
} from './machine.ts';
import { createSharedUrl, type SharedUrl } from './shared-url.ts';

export interface DownloadPorts extends CallPorts {
  receiver: FileReceiver;
}

export interface DownloadRequest {
  file: PageFile;
  key: CipherKey;
}

export interface DownloadEngine {
  getState(): DownloadState;
  subscribe(listener: () => void): () => void;
  /**
   * Resolves when the download has ended, whatever the end: the state tells which.
   * Throws at once while another download runs.
   */
  start(request: DownloadRequest): Promise<void>;
  /** The state changes at once; resolves when what was staged is gone. Without effect once the file is being handed over. */
  cancel(): Promise<void>;
}

export function createDownload(ports: DownloadPorts, settings: { lanes: number }): DownloadEngine {
  const store = createStore(reduceDownload, IDLE_DOWNLOAD);
  let cancelRun = async (): Promise<void> => {};

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
      cancelRun = () => {
        dispatch({ type: 'cancel' });
        if (store.getState().phase === 'cancelled') abort.abort();
        return ended;
      };
      dispatch({ type: 'start', file: { fileName, ...planOfChunks(fileSize, chunkSize) } });
      return ended;
    },
    cancel: () => cancelRun(),
  };
}

interface RunContext {
  lanes: number;
  signal: AbortSignal;
  dispatch: (action: DownloadAction) => void;
}

async function run(ports: DownloadPorts, { file, key }: DownloadRequest, context: RunContext): Promise<void> {
  const { dispatch, signal } = context;
  let incoming: IncomingFile | undefined;
  try {
    const sealedFile = sealedFileOf(file);
    const grant = { params: { id: file.id } };
    const { presignedUrl, requiresDecryptionConfirmation } = await call(ports, 'takeGrant', grant, signal);
    // A platform may have to load something first, its worker for one: being offline for a moment is no failure.
    incoming = await withRetries(ports, retryCall, signal, () => ports.receiver.open(sealedFile, key));
    dispatch({ type: 'receive' });
    // The same browser asking again spends nothing: its grant lives on.
    const renew = async () => (await ports.api.call('takeGrant', grant, signal)).presignedUrl;
    await receiveAll(ports, incoming, sealedFile.count, createSharedUrl(presignedUrl, renew), context);
    assertNotCancelled(signal);
    dispatch({ type: 'finish' });
    await incoming.finish();
    const confirmed = !requiresDecryptionConfirmation || (await confirm(ports, file.id));
    dispatch({ type: 'complete', confirmed });
  } catch (thrown) {
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await incoming?.discard().catch(() => {});
  }
}

function sealedFileOf({ fileName, fileSize, chunkSize, salt }: PageFile): SealedFile {
  if (salt === undefined) throw new Failure('UNKNOWN'); // A file that is not encrypted: not downloadable yet.
  const plan = planOfChunks(fileSize, chunkSize);
  // Every chunk vouches for the whole plan, so a page that names no chunk at all could pass off an empty file as whole.
  if (!(plan.count >= 1 && plan.count <= MAX_PARTS)) throw new Failure('DECRYPTION_FAILED');
  return { ...plan, fileName, salt };
}

function receiveAll(
  ports: DownloadPorts,
  incoming: IncomingFile,
  count: number,
  sharedUrl: SharedUrl,
  { lanes, signal, dispatch }: RunContext,
): Promise<void> {
  return runLanes(lanes, indexesUpTo(count), signal, async (index, laneSignal) => {
    const move = (chunk: ChunkState) => dispatch({ type: 'chunkMoved', index, chunk });
    await withRetries(ports, retryPart, laneSignal, async () => {
      move({ step: 'waiting' });
      const url = await sharedUrl.get();
      try {
        await incoming.receive(index, url, (receivedBytes) => move({ step: 'receiving', receivedBytes }), laneSignal);
      } catch (thrown) {
        if (isUrlRefused(asFailure(thrown))) sharedUrl.discard(url);
        throw thrown;
      }
    });
    move({ step: 'written' });
  });
}

/** Answers whether the server knows that the file arrived. It has arrived in any case, so nothing here fails. */
async function confirm(ports: CallPorts, id: string): Promise<boolean> {
  try {
    await call(ports, 'confirmDownload', { params: { id } }, neverCancelled());
    return true;
  } catch (thrown) {
    // Gone means confirmed: an earlier confirmation, whose answer got lost, has used the file up.
    return asFailure(thrown).code === 'NOT_FOUND';
  }
}
