// The page's side of a worker: a call is a promise, with progress and a signal to abort it.
import { Failure, type FailureCode } from '@furoshiki/api';
import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerCaller<Call, Result> {
  /** How many calls are running. */
  readonly busy: number;
  /** True after the worker has crashed or was ended. */
  readonly isDead: boolean;
  /** Buffers in `transfer` are transferred to the worker instead of copied. */
  call(
    call: Call,
    onProgress?: (bytes: number) => void,
    signal?: AbortSignal,
    transfer?: Transferable[],
  ): Promise<Result>;
  end(): void;
}

interface Pending<Result> {
  resolve(result: Result): void;
  reject(failure: Failure): void;
  onProgress: ((bytes: number) => void) | undefined;
}

export function createWorkerCaller<Call, Result>(worker: Worker): WorkerCaller<Call, Result> {
  const pending = new Map<number, Pending<Result>>();
  let lastId = 0;
  let isLoaded = false;
  let isDead = false;
  const post = (message: ToWorker<Call>, transfer: Transferable[] = []) => worker.postMessage(message, transfer);

  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker<Result>>) => {
    isLoaded = true;
    const call = pending.get(data.id);
    if (!call) return;
    if ('progress' in data) return call.onProgress?.(data.progress);
    pending.delete(data.id);
    if ('failure' in data) call.reject(new Failure(data.failure.code, data.failure.details));
    else call.resolve(data.result);
  });

  function end(code: FailureCode, cause?: unknown): void {
    isDead = true;
    worker.terminate();
    for (const call of pending.values()) call.reject(new Failure(code, {}, { cause }));
    pending.clear();
  }
  // Before its first message, the script could not be loaded: a network error. After it, the worker threw: a bug.
  worker.addEventListener('error', (event) => end(isLoaded ? 'UNKNOWN' : 'NETWORK', event.message));

  return {
    get busy() {
      return pending.size;
    },
    get isDead() {
      return isDead;
    },
    call(call, onProgress, signal, transfer) {
      if (isDead) return Promise.reject(new Failure('UNKNOWN'));
      lastId += 1;
      const id = lastId;
      const abort = () => post({ id, abort: true });
      const result = new Promise<Result>((resolve, reject) => {
        pending.set(id, { resolve, reject, onProgress });
      });
      post({ id, call }, transfer);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      return result.finally(() => signal?.removeEventListener('abort', abort));
    },
    end: () => end('CANCELLED'),
  };
}
