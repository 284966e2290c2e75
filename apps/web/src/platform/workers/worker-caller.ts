// The page's end of a worker: a call is a promise, with progress and a signal to abort it.
import { Failure, type FailureCode } from '@furoshiki/core';
import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerCaller<Request, Answer> {
  /** How many calls are under way. */
  readonly busy: number;
  /** True once the worker can answer no more. */
  readonly isDead: boolean;
  /** What is in `transfer` is handed over to the worker instead of copied. */
  call(
    request: Request,
    onProgress?: (bytes: number) => void,
    signal?: AbortSignal,
    transfer?: Transferable[],
  ): Promise<Answer>;
  end(): void;
}

interface Pending<Answer> {
  resolve(answer: Answer): void;
  reject(failure: Failure): void;
  onProgress: ((bytes: number) => void) | undefined;
}

export function createWorkerCaller<Request, Answer>(worker: Worker): WorkerCaller<Request, Answer> {
  const pending = new Map<number, Pending<Answer>>();
  let lastId = 0;
  let hasSpoken = false;
  let isDead = false;
  const post = (message: ToWorker<Request>, transfer: Transferable[] = []) => worker.postMessage(message, transfer);

  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker<Answer>>) => {
    hasSpoken = true;
    const call = pending.get(data.id);
    if (!call) return;
    if ('progress' in data) return call.onProgress?.(data.progress);
    pending.delete(data.id);
    if ('failure' in data) call.reject(new Failure(data.failure.code, data.failure.details));
    else call.resolve(data.answer);
  });

  function die(code: FailureCode, cause?: unknown): void {
    isDead = true;
    worker.terminate();
    for (const call of pending.values()) call.reject(new Failure(code, {}, { cause }));
    pending.clear();
  }
  // A worker that never spoke could not be loaded: the network's fault. One that did threw outside of a call: ours.
  worker.addEventListener('error', (event) => die(hasSpoken ? 'UNKNOWN' : 'NETWORK', event.message));

  return {
    get busy() {
      return pending.size;
    },
    get isDead() {
      return isDead;
    },
    call(request, onProgress, signal, transfer) {
      if (isDead) return Promise.reject(new Failure('UNKNOWN'));
      lastId += 1;
      const id = lastId;
      const abort = () => post({ id, abort: true });
      const answered = new Promise<Answer>((resolve, reject) => {
        pending.set(id, { resolve, reject, onProgress });
      });
      post({ id, request }, transfer);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      return answered.finally(() => signal?.removeEventListener('abort', abort));
    },
    end: () => die('CANCELLED'),
  };
}
