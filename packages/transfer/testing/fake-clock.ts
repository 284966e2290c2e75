// Virtual time: it stops while anything works, and jumps to the next wake-up when everything sleeps.
import { Failure } from '@furoshiki/api';
import type { Clock } from '../src/ports.ts';

export interface FakeClock extends Clock {
  /** How many callers sleep. */
  sleeping(): number;
  /** For work that takes real time, such as WebCrypto: virtual time stops until it is done. */
  holdFor<T>(work: Promise<T>): Promise<T>;
  /** From now on no sleep ends, as when the tab is closed. */
  stop(): void;
}

/** Without `random`, every wait is as short as its policy allows. */
export function createFakeClock(random = () => 0): FakeClock {
  const sleepers = new Set<{ wakeAtMs: number; wake: () => void }>();
  let nowMs = 0;
  let works = 0;
  let ticking = false;
  let isStopped = false;

  // A macrotask runs only after all microtasks, so by then everything either sleeps or has ended.
  function tick(): void {
    if (ticking || isStopped) return;
    ticking = true;
    setImmediate(() => {
      ticking = false;
      if (works === 0 && !isStopped) wakeNext();
      if (sleepers.size > 0) tick();
    });
  }

  function wakeNext(): void {
    const next = [...sleepers].toSorted((a, b) => a.wakeAtMs - b.wakeAtMs)[0];
    if (next === undefined) return;
    nowMs = next.wakeAtMs;
    sleepers.delete(next);
    next.wake();
  }

  return {
    random,
    nowMs: () => nowMs,
    sleeping: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Failure('CANCELLED'));
        const sleeper = { wakeAtMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(new Failure('CANCELLED'));
        });
        tick();
      }),
    stop: () => void (isStopped = true),
    async holdFor(work) {
      works += 1;
      try {
        return await work;
      } finally {
        works -= 1;
      }
    },
  };
}
