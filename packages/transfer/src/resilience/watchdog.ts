// Ends what moves no more: a connection that nobody cut and nobody serves, a worker that went silent.
import { Failure } from '@furoshiki/core';
import type { Clock } from '../ports.ts';

/** Long enough for a slow disk behind the last byte, and for what a network may hold in its buffers. */
export const IDLE_MS = 30_000;

export interface Patience {
  /** How long there may be no sign of life. */
  idleMs: number;
  /** How long it may take altogether. */
  totalMs: number;
}

/** Throws TIMEOUT when the patience is over, and aborts the work; it does not wait for work that ignores that. */
export async function underWatch<T>(
  clock: Clock,
  { idleMs, totalMs }: Patience,
  signal: AbortSignal,
  work: (signal: AbortSignal, showLife: () => void) => Promise<T>,
): Promise<T> {
  const tooSlow = new AbortController();
  const ended = new AbortController();
  let isAlive = true;

  async function watch(): Promise<never> {
    for (let leftMs = totalMs; leftMs > 0 && isAlive; leftMs -= idleMs) {
      isAlive = false;
      await clock.sleep(Math.min(idleMs, leftMs), ended.signal);
    }
    throw new Failure('TIMEOUT');
  }

  try {
    const working = work(AbortSignal.any([signal, tooSlow.signal]), () => {
      isAlive = true;
    });
    return await Promise.race([working, watch()]);
  } finally {
    // First the watch, so that its own end is no news; then the work, which has ended unless it was too slow.
    ended.abort();
    tooSlow.abort();
  }
}
