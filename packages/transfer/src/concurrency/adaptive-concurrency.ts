// Adapts to the connection: how many parts are sent at once, and how long each may take.
import { asFailure, Failure, MAX_PART_TIMEOUT_MS } from '@furoshiki/core';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import { mayBeUnreachable } from '../resilience/network.ts';
import type { Clock, Network } from '../ports.ts';
import type { RetryPolicy } from '../resilience/retry.ts';

/** Browsers do not know the upload speed. On a slow connection, many parts at once would all time out. */
const FIRST_LANES = 2;
/** Add a lane only if parts would still finish within two thirds of their timeout. */
const COMFORTABLE_SHARE = 2 / 3;

/** What was measured about the connection. Only a slow result is kept for the next file. */
export interface ConnectionCapacity {
  /** How many parts may be sent at once. */
  lanes: number;
  /** A part has timed out although no other part was sent at the same time. */
  isSlow: boolean;
}

export const unknownCapacity = (): ConnectionCapacity => ({ lanes: FIRST_LANES, isSlow: false });

export interface LimiterPorts {
  clock: Pick<Clock, 'nowMs'>;
  network: Pick<Network, 'waitUntilReachable'>;
}

export interface ConcurrencyLimiter {
  /**
   * Runs one attempt as soon as one more part may be sent. Its timeout is `usualMs`, or the maximum if the connection
   * is slow.
   */
  run<T>(signal: AbortSignal, usualMs: number, attempt: (timeoutMs: number) => Promise<T>): Promise<T>;
  /**
   * Wraps the retry policy of one part. If another part was sent since the last attempt, a broken connection counts as
   * the first failed attempt again: an upload that makes progress, however slowly, continues.
   */
  ignoreBreaksDuringProgress(policy: RetryPolicy): RetryPolicy;
}

/**
 * Additive increase, multiplicative decrease: one lane more after each part that finished early, half the lanes after
 * a part that broke off. Parallel parts share the connection, so each takes longer, and all break off with the connection.
 */
export function createConcurrencyLimiter(
  maxLanes: number,
  capacity: ConnectionCapacity,
  { clock, network }: LimiterPorts,
): ConcurrencyLimiter {
  const waiting = new Set<() => void>();
  // Start low again for each file: the parts of the last one may have been smaller.
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
        if (expectedMs < usualMs * COMFORTABLE_SHARE) capacity.lanes = Math.min(capacity.lanes + 1, maxLanes);
        leave();
        return result;
      } catch (thrown) {
        const failure = asFailure(thrown);
        if (failure.code === 'TIMEOUT' && lanesBefore === 1) capacity.isSlow = true;
        if (mayBeUnreachable(failure)) {
          // Parts that break off together began under the same limit, so they halve it once.
          capacity.lanes = Math.min(capacity.lanes, Math.max(1, Math.floor(lanesBefore / 2)));
          // Keep the lane until the server can be reached: the next part would break off as well.
          void network.waitUntilReachable(signal).then(leave, leave);
        } else leave();
        throw thrown;
      }
    },
    ignoreBreaksDuringProgress(policy) {
      let ignored = 0;
      let passedBefore = passed;
      return (failure, attempt) => {
        if (mayBeUnreachable(failure) && passed > passedBefore) ignored = attempt - 1;
        passedBefore = passed;
        return policy(failure, attempt - ignored);
      };
    },
  };
}
