// Ends work that makes no progress: a connection that is open but dead, a worker that does not respond.
import { Failure } from '@furoshiki/api';
import type { Clock } from '../ports.ts';

/** Long enough for a slow disk after the last byte, and for data in network buffers. */
export const IDLE_MS = 30_000;

export interface Timeouts {
  /** How long there may be no progress. */
  idleMs: number;
  /** How long it may take in total. */
  totalMs: number;
}

/** Throws TIMEOUT and aborts the work when a timeout has passed. Does not wait for work that ignores the abort. */
export async function withTimeouts<T>(
  clock: Clock,
  { idleMs, totalMs }: Timeouts,
  signal: AbortSignal,
  work: (signal: AbortSignal, onAlive: () => void) => Promise<T>,
): Promise<T> {
  const tooSlow = new AbortController();
  const ended = new AbortController();
  let isAlive = true;

  async function watch(): Promise<never> {
    for (let remainingMs = totalMs; remainingMs > 0 && isAlive; remainingMs -= idleMs) {
      isAlive = false;
      await clock.sleep(Math.min(idleMs, remainingMs), ended.signal);
    }
    throw new Failure('TIMEOUT');
  }

  try {
    const working = work(AbortSignal.any([signal, tooSlow.signal]), () => {
      isAlive = true;
    });
    return await Promise.race([working, watch()]);
  } finally {
    // Stop the watch first, so that its own abort is not reported; then the work, if it was too slow.
    ended.abort();
    tooSlow.abort();
  }
}
