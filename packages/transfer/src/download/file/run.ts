// The driver of one file's download: sink, grant, chunks, save, confirmation. Saves nothing before every chunk is opened.
import { type DownloadCategory, downloadCategory, type Failure } from '@furoshiki/api';
import { createEngine, type RunContext } from '../../engine.ts';
import type { Destination, FileSink } from '../../ports.ts';
import { assertNotCancelled, failureUnder, whenAborted } from '../../resilience/cancellation.ts';
import { retryCall, withRetries } from '../../resilience/retry.ts';
import { IDLE_MS, withTimeouts } from '../../resilience/watchdog.ts';
import type { Confirmations } from './confirmations.ts';
import type { FetchPlan } from './fetch-plan.ts';
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

export interface DownloadSettings {
  /** How many chunks are fetched at once. */
  lanes: number;
  /** How many small files of a queue are in progress at once. */
  filesAtOnce?: number;
}

export interface DownloadRequest {
  plan: FetchPlan;
  destination: Destination;
  /** Never rejects. This file is saved after it: files that are received together are saved in order. */
  previousSaved?: Promise<void>;
}

export interface DownloadEngine {
  getState(): DownloadState;
  subscribe(listener: () => void): () => void;
  /** Resolves when the download has ended; the state says how. Throws at once while another download runs. */
  start(request: DownloadRequest): Promise<void>;
  /**
   * The state changes at once; resolves when the sink is closed. Removes what was written, or keeps it for another
   * attempt. Has no effect once everything is written.
   */
  cancel(keep?: 'keep'): Promise<void>;
}

export function createDownload(ports: DownloadPorts, settings: DownloadSettings): DownloadEngine {
  const engine = createEngine<DownloadState, DownloadAction>(reduceDownload, IDLE_DOWNLOAD);
  return {
    getState: engine.getState,
    subscribe: engine.subscribe,
    start(request) {
      if (isDownloadRunning(engine.getState())) throw new Error('A download is running');
      const { fileSize, chunkSize, count } = request.plan;
      const { fileName, isEncrypted } = request.plan.file;
      return engine.start({ type: 'start', file: { fileName, isEncrypted, fileSize, chunkSize, count } }, (context) =>
        run(ports, request, { ...settings, ...context }),
      );
    },
    cancel: async (keep) => engine.cancel(keep)?.ended,
  };
}

async function run(
  ports: DownloadPorts,
  { plan, destination, previousSaved }: DownloadRequest,
  { dispatch, signal, lanes }: RunContext<DownloadAction> & DownloadSettings,
): Promise<void> {
  let sink: FileSink | undefined;
  try {
    const opened = await openSink(ports, destination, signal);
    sink = opened;
    const firstIndex = Math.ceil(opened.startsAt / plan.chunkSize);
    const wantsConfirmation = await receiveFile(ports, {
      plan,
      firstIndex,
      lanes,
      signal,
      wantsCrc32: false,
      onGranted: () => dispatch({ type: 'receive', firstIndex }),
      onChunkChanged: (index, chunk) => dispatch({ type: 'chunkChanged', index, chunk }),
      onChunk: ({ bytes }) => opened.write(bytes),
    });
    await Promise.race([previousSaved, whenAborted(signal)]);
    assertNotCancelled(signal);
    dispatch({ type: 'finish' });
    await opened.finish();
    dispatch({ type: 'complete' });
    if (!wantsConfirmation || (await ports.confirmations.confirm(plan.file.id))) dispatch({ type: 'confirmed' });
  } catch (thrown) {
    const failure = failureUnder(signal, thrown);
    dispatch({ type: 'fail', failure });
    await close(sink, isResumable(failure, signal)).catch(() => {});
  }
}

/**
 * Opening may load a worker script, so a short loss of the network must not fail the download. Nor may a browser that never
 * ends to open stop it for good.
 */
export function openSink(ports: DownloadPorts, destination: Destination, signal: AbortSignal): Promise<FileSink> {
  const timeouts = { idleMs: IDLE_MS, totalMs: IDLE_MS };
  return withRetries(ports, retryCall, signal, async () => {
    const opening = destination.open(signal);
    try {
      return await withTimeouts(ports.clock, timeouts, signal, () => opening);
    } catch (thrown) {
      // If it opens later, it is closed like one that failed then.
      const keeps = isResumable(failureUnder(signal, thrown), signal);
      opening.then((late) => close(late, keeps)).catch(() => undefined);
      throw thrown;
    }
  });
}

/**
 * After these, another attempt cannot succeed, or must not use what was written. By category, because that chooses the text: a
 * text that says that nothing was saved, or that the file is gone, must be true.
 */
const NOT_RESUMABLE = new Set<DownloadCategory>([
  'decryptionFailed',
  'limitReached',
  'linkExpired',
  'notFound',
  'saveFailed',
]);

function isResumable(failure: Failure, signal: AbortSignal): boolean {
  return signal.aborted ? signal.reason === 'keep' : !NOT_RESUMABLE.has(downloadCategory(failure));
}

async function close(sink: FileSink | undefined, keep: boolean): Promise<void> {
  await (keep ? sink?.suspend() : sink?.discard());
}
