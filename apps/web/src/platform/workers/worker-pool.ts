// A few workers that share the calls of one kind: WebCrypto runs in parallel across workers, not within one.
import type { WorkerName } from '../device/trusted-types.ts';
import { startWorker } from './start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './worker-caller.ts';

/** After this time without a call the workers end, which frees their memory. */
const WORKER_IDLE_MS = 3000;

export interface PoolOptions<Call> {
  kind: Extract<WorkerName, 'upload' | 'fetch'>;
  workersFor(call: Call): number;
  /** Browsers free some memory of a call only when its worker ends, so a worker is replaced after so many calls. */
  callsPerWorker: number;
  /** Called when the workers have ended because there were no calls. */
  onIdle?(): void;
}

export type WorkerPool<Call, Result> = Pick<WorkerCaller<Call, Result>, 'call'>;

interface PooledWorker<Call, Result> {
  caller: WorkerCaller<Call, Result>;
  callsRemaining: number;
}

export function createWorkerPool<Call, Result>(options: PoolOptions<Call>): WorkerPool<Call, Result> {
  const { kind, workersFor, callsPerWorker, onIdle } = options;
  let workers: PooledWorker<Call, Result>[] = [];
  let runningCalls = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(call: Call): PooledWorker<Call, Result> {
    workers = workers.filter(({ caller, callsRemaining }) => !caller.isDead && callsRemaining > 0);
    if (workers.length < workersFor(call))
      workers.push({ caller: createWorkerCaller(startWorker(kind)), callsRemaining: callsPerWorker });
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
      worker.callsRemaining -= 1;
      try {
        return await worker.caller.call(call, onProgress, signal);
      } finally {
        runningCalls -= 1;
        if (worker.callsRemaining === 0 && worker.caller.busy === 0) worker.caller.end();
        if (runningCalls === 0) idleTimer = setTimeout(endAll, WORKER_IDLE_MS);
      }
    },
  };
}
