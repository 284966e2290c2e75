// The worker's side of a call: runs it, reports its progress, and aborts it on request. Also the messages of both
// sides.
import { asFailure, type FailureCode, type FailureDetails } from '@furoshiki/api';
import type { ChunkToFetch, CutChunk, FetchedChunk, FetchedSmallFile, SmallFilesRequest } from '@furoshiki/transfer';

/** As often as the screen shows progress. WebKit reports every few kilobytes, and each report would render the screen. */
const PROGRESS_MS = 200;

interface WorkerScope<Call, Result, Item> {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker<Call>>) => void): void;
  postMessage(message: FromWorker<Result, Item>, transfer?: Transferable[]): void;
}

export function serveCalls<Call, Result, Item = never>(
  scope: WorkerScope<Call, Result, Item>,
  handle: (
    call: Call,
    onProgress: (bytes: number) => void,
    signal: AbortSignal,
    onItem: (item: Item, transfer: Transferable[]) => void,
  ) => Promise<Result>,
  /** Returns the buffers of a result that are transferred instead of copied. */
  transferOf: (result: Result) => Transferable[] = () => [],
): void {
  const running = new Map<number, AbortController>();
  scope.addEventListener('message', ({ data }) => {
    if ('abort' in data) running.get(data.id)?.abort();
    else void serve(data.id, data.call);
  });

  async function serve(id: number, call: Call): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const onProgress = throttle(PROGRESS_MS, (progress: number) => scope.postMessage({ id, progress }));
      const onItem = (item: Item, transfer: Transferable[]) => scope.postMessage({ id, item }, transfer);
      const result = await handle(call, onProgress, controller.signal, onItem);
      scope.postMessage({ id, result }, transferOf(result));
    } catch (thrown) {
      // An Error loses its fields between threads, so its code is sent separately.
      const { code, details } = asFailure(thrown);
      scope.postMessage({ id, failure: { code, details } });
    } finally {
      running.delete(id);
    }
  }
}

/** Drops calls that come too soon, also after the start. The last progress may be dropped: the result follows it. */
function throttle<T>(ms: number, run: (value: T) => void): (value: T) => void {
  let ranAtMs = performance.now();
  return (value) => {
    const nowMs = performance.now();
    if (nowMs - ranAtMs < ms) return;
    ranAtMs = nowMs;
    run(value);
  };
}

/** The messages between a page and its workers: calls that report progress and can be aborted. */
export type ToWorker<Call> = { id: number; call: Call } | { id: number; abort: true };

export type FromWorker<Result, Item = never> =
  | { id: number; progress: number }
  /** A part of the result that is there already. */
  | { id: number; item: Item }
  | { id: number; result: Result }
  | { id: number; failure: { code: FailureCode; details: FailureDetails } };

/** What fetch.worker.ts does. The path of the second is a whole address: a worker does not know the one of the site. */
export type FetchCall = ChunkToFetch | SmallFilesRequest;
/** Undefined for small files, which come as items. */
export type FetchResult = FetchedChunk | CutChunk | undefined;
export interface FetchedFile {
  index: number;
  file: FetchedSmallFile;
}
