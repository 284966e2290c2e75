// How many parts are under way at once: half as many after a connection broke, one more with each that got through.
import { asFailure, Failure } from '@furoshiki/core';
import { assertNotCancelled } from './cancellation.ts';
import { mayBeCutOff } from './network.ts';
import type { Network } from './ports.ts';
import type { RetryPolicy } from './retry.ts';

export interface Pace {
  /** Runs one try as soon as there is room for it. */
  run<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T>;
  /**
   * The policy for one part. A broken connection counts against it only where nothing else got through since its last
   * try: whoever makes headway, however slowly, goes on.
   */
  forgive(policy: RetryPolicy): RetryPolicy;
}

/**
 * Parts in parallel share the line, so each takes longer and a line that breaks often breaks all of them. Alone, a part
 * has the best chance that there is.
 */
export function createPace(maxLanes: number, { untilReachable }: Pick<Network, 'untilReachable'>): Pace {
  const waiting = new Set<() => void>();
  let limit = maxLanes;
  let running = 0;
  let passed = 0;

  const isFull = () => running >= limit;

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
    async run(signal, attempt) {
      await enter(signal);
      const limitBefore = limit;
      try {
        const result = await attempt();
        passed += 1;
        limit = Math.min(limit + 1, maxLanes);
        leave();
        return result;
      } catch (thrown) {
        if (mayBeCutOff(asFailure(thrown))) {
          // Those that break together have set out under the same limit, and halve it once.
          limit = Math.min(limit, Math.max(1, Math.floor(limitBefore / 2)));
          // Its place stays taken until it is known whether there is a line: who came next would break off as well.
          void untilReachable(signal).then(leave, leave);
        } else leave();
        throw thrown;
      }
    },
    forgive(policy) {
      let forgiven = 0;
      let passedBefore = passed;
      return (failure, attempt) => {
        if (mayBeCutOff(failure) && passed > passedBefore) forgiven = attempt - 1;
        passedBefore = passed;
        return policy(failure, attempt - forgiven);
      };
    },
  };
}
