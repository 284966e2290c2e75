// Virtual time: it stands still while anything works and jumps to the next wake-up when everything waits.
import { Failure } from '@furoshiki/core';
import type { Clock } from '../src/ports.ts';

export interface FakeClock extends Clock {
  /** How many sleep. */
  sleeping(): number;
  /** Work that takes real time, such as WebCrypto: virtual time stands still until it is done. */
  holdFor<T>(work: Promise<T>): Promise<T>;
  /** From now on nobody wakes up, as when a page dies. */
  stop(): void;
}

export function createFakeClock(): FakeClock {
  const sleepers = new Set<{ wakeAtMs: number; wake: () => void }>();
  let nowMs = 0;
  let works = 0;
  let ticking = false;
  let isStopped = false;

  // A macrotask runs only when no microtask is left, so all that does not sleep has come to rest by then.
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
