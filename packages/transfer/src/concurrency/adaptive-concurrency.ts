// How many parts are under way at once, and how long each may take: what the line can carry.
import { asFailure, Failure, MAX_PART_TIMEOUT_MS } from '@furoshiki/core';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import { mayBeUnreachable } from '../resilience/network.ts';
import type { Clock, Network } from '../ports.ts';
import type { RetryPolicy } from '../resilience/retry.ts';

/** A line says nothing of what it carries upwards. Where that is little, parts that share it run out of time together. */
const FIRST_LANES = 2;
/** Of its time: a part that would need more with one more beside it is left as it is. */
const COMFORT = 2 / 3;

/** What was learned of a line. It outlives a file, so that the next one does not lose its first parts to learn it again. */
export interface LineCapacity {
  /** How many parts may be on it at once. */
  lanes: number;
  /** One part alone was not in time. */
  isSlow: boolean;
}

export const unknownCapacity = (): LineCapacity => ({ lanes: FIRST_LANES, isSlow: false });

export interface LimiterPorts {
  clock: Pick<Clock, 'nowMs'>;
  network: Pick<Network, 'waitUntilReachable'>;
}

export interface ConcurrencyLimiter {
  /** Runs one try as soon as there is room for it. It has `usualMs`, or all the time there is where that was too little. */
  run<T>(signal: AbortSignal, usualMs: number, attempt: (patienceMs: number) => Promise<T>): Promise<T>;
  /**
   * The policy for one part. A broken connection counts against it only where nothing else got through since its last
   * try: whoever makes headway, however slowly, goes on.
   */
  forgiveWhileProgressing(policy: RetryPolicy): RetryPolicy;
}

/**
 * Parts in parallel share the line, so each takes longer and a line that breaks often breaks all of them. Alone, a part
 * has the best chance that there is. So half as many set out after one broke, and one more after each that got through
 * with time to spare.
 */
export function createConcurrencyLimiter(
  maxLanes: number,
  capacity: LineCapacity,
  { clock, network }: LimiterPorts,
): ConcurrencyLimiter {
  const waiting = new Set<() => void>();
  // No more than at first, however many there were: the parts before may have been small.
  capacity.lanes = Math.min(capacity.lanes, FIRST_LANES, maxLanes);
  let running = 0;
  let passed = 0;

  const isFull = () => running >= capacity.lanes;

  async function enter(signal: AbortSignal): Promise<void> {
    while (isFull()) {
      assertNotCancelled(signal);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = () => reject(new Failure('CANCELLED'));
      waiting.add(resolve);
      signal.addEventListener('abort', cancel);
      try {
        await promise;
      } finally {
        waiting.delete(resolve);
        signal.removeEventListener('abort', cancel);
      }
    }
    running += 1;
  }

  function leave(): void {
    running -= 1;
    for (const proceed of waiting) proceed();
  }

  return {
    async run(signal, usualMs, attempt) {
      await enter(signal);
      const lanesBefore = capacity.lanes;
      const beganMs = clock.nowMs();
      try {
        const result = await attempt(capacity.isSlow ? MAX_PART_TIMEOUT_MS : usualMs);
        passed += 1;
        const expectedMs = ((clock.nowMs() - beganMs) * (running + 1)) / running;
        if (expectedMs < usualMs * COMFORT) capacity.lanes = Math.min(capacity.lanes + 1, maxLanes);
        leave();
        return result;
      } catch (thrown) {
        const failure = asFailure(thrown);
        if (failure.code === 'TIMEOUT' && lanesBefore === 1) capacity.isSlow = true;
        if (mayBeUnreachable(failure)) {
          // Those that break together have set out under the same limit, and halve it once.
          capacity.lanes = Math.min(capacity.lanes, Math.max(1, Math.floor(lanesBefore / 2)));
          // Its place stays taken until it is known whether there is a line: who came next would break off as well.
          void network.waitUntilReachable(signal).then(leave, leave);
        } else leave();
        throw thrown;
      }
    },
    forgiveWhileProgressing(policy) {
      let forgiven = 0;
      let passedBefore = passed;
      return (failure, attempt) => {
        if (mayBeUnreachable(failure) && passed > passedBefore) forgiven = attempt - 1;
        passedBefore = passed;
        return policy(failure, attempt - forgiven);
      };
    },
  };
}
