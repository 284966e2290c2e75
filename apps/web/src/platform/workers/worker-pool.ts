// A few workers that share the calls of one kind: WebCrypto runs in parallel across workers, not within one.
import type { WorkerName } from '../device/trusted-types.ts';
import { startWorker } from './start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './worker-caller.ts';

/** Whoever has nothing to do gives its memory back. */
const IDLE_MS = 3000;

export interface PoolOptions<Request> {
  kind: Extract<WorkerName, 'upload' | 'fetch'>;
  workersFor(request: Request): number;
  /** What is left in a browser of each call goes when its worker ends, and hardly before. */
  callsPerWorker: number;
  /** Told when there was nothing to do for a while. */
  onRest?(): void;
}

export type WorkerPool<Request, Answer> = Pick<WorkerCaller<Request, Answer>, 'call'>;

interface Hand<Request, Answer> {
  caller: WorkerCaller<Request, Answer>;
  callsLeft: number;
}

export function createWorkerPool<Request, Answer>(options: PoolOptions<Request>): WorkerPool<Request, Answer> {
  const { kind, workersFor, callsPerWorker, onRest } = options;
  let hands: Hand<Request, Answer>[] = [];
  let calls = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(request: Request): Hand<Request, Answer> {
    hands = hands.filter(({ caller, callsLeft }) => !caller.isDead && callsLeft > 0);
    if (hands.length < workersFor(request))
      hands.push({ caller: createWorkerCaller(startWorker(kind)), callsLeft: callsPerWorker });
    return hands.reduce((best, hand) => (hand.caller.busy < best.caller.busy ? hand : best));
  }

  function rest(): void {
    for (const { caller } of hands) caller.end();
    onRest?.();
  }

  return {
    async call(request, onProgress, signal) {
      clearTimeout(resting);
      calls += 1;
      const hand = leastBusy(request);
      hand.callsLeft -= 1;
      try {
        return await hand.caller.call(request, onProgress, signal);
      } finally {
        calls -= 1;
        if (hand.callsLeft === 0 && hand.caller.busy === 0) hand.caller.end();
        if (calls === 0) resting = setTimeout(rest, IDLE_MS);
      }
    },
  };
}
