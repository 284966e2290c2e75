// Clears away what has run out, once a minute, without ever overlapping itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Context } from '../services/context.ts';
import { sweep } from '../services/remove-files.ts';

const EVERY_MS = 60_000;
export const FILES_PER_ROUND = 200;

export interface SweepObserver {
  swept(files: number): void;
  failed(): void;
}

/** Starts sweeping at once; resolves, after the round at hand, when the signal aborts. */
export async function runSweeper(
  context: Context,
  log: FastifyBaseLogger,
  signal: AbortSignal,
  observer?: SweepObserver,
): Promise<void> {
  while (!signal.aborted) {
    let removed = 0;
    try {
      removed = await sweep(context, FILES_PER_ROUND);
      observer?.swept(removed);
    } catch (error) {
      observer?.failed();
      log.error({ err: error }, 'a sweep failed and will be tried again');
    }
    // A full round means that more is waiting.
    if (removed < FILES_PER_ROUND) await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
