// A few workers that share the calls of one kind: WebCrypto runs in parallel across workers, not within one.
import type { WorkerName } from '../device/trusted-types.ts';
import { startWorker } from './start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './worker-caller.ts';

/** After this time without a call the workers end, which frees their memory. */
const WORKER_IDLE_MS = 3000;

export interface PoolOptions<Call> {
  kind: Extract<WorkerName, 'upload' | 'fetch'>;
  workersFor(call: Call): number;
  bytesOf(call: Call): number;
  /** Browsers free some memory of a call only when its worker ends, so a worker is replaced after so many bytes. */
  bytesPerWorker: number;
  /** Called when the workers have ended because there were no calls. */
  onIdle?(): void;
}

export type WorkerPool<Call, Result> = Pick<WorkerCaller<Call, Result>, 'call'>;

interface PooledWorker<Call, Result> {
  caller: WorkerCaller<Call, Result>;
  bytesRemaining: number;
}

export function createWorkerPool<Call, Result>(options: PoolOptions<Call>): WorkerPool<Call, Result> {
  const { kind, workersFor, bytesOf, bytesPerWorker, onIdle } = options;
  let workers: PooledWorker<Call, Result>[] = [];
  let runningCalls = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(call: Call): PooledWorker<Call, Result> {
    workers = workers.filter(({ caller, bytesRemaining }) => !caller.isDead && bytesRemaining > 0);
    if (workers.length < workersFor(call))
      workers.push({ caller: createWorkerCaller(startWorker(kind)), bytesRemaining: bytesPerWorker });
    return workers.reduce((best, worker) => (worker.caller.busy < best.caller.busy ? worker : best));
  }

  function endAll(): void {
    for (const { caller } of workers) caller.end();
    onIdle?.();
  }

  return {
    async call(call, onProgress, signal) {
      clearTimeout(idleTimer);
      runningCalls += 1;
      const worker = leastBusy(call);
      worker.bytesRemaining -= bytesOf(call);
      try {
        return await worker.caller.call(call, onProgress, signal);
      } finally {
        runningCalls -= 1;
        if (worker.bytesRemaining <= 0 && worker.caller.busy === 0) worker.caller.end();
        if (runningCalls === 0) idleTimer = setTimeout(endAll, WORKER_IDLE_MS);
      }
    },
  };
}
