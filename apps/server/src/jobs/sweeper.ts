// Clears away what has run out and what a crash has left, round after round, without ever overlapping itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Context } from '../services/context.ts';
import { type Cursors, reconcile } from '../services/deletion/reconcile.ts';
import { sweep, SweepError } from '../services/deletion/sweep.ts';

export const FILES_PER_ROUND = 200;
const KEYS_PER_ROUND = 500;
const RECONCILING = 'reconcile';

export interface SweepObserver {
  swept(files: number): void;
  failed(): void;
}

/** Starts sweeping at once; resolves, after the round at hand, when the signal aborts. */
export async function runSweeper(
  context: Context,
  log: FastifyBaseLogger,
  everyMs: number,
  signal: AbortSignal,
  observer?: SweepObserver,
): Promise<void> {
  function tellOf(error: unknown): void {
    observer?.failed();
    log.error({ err: error }, 'a sweep failed and will be tried again');
  }

  while (!signal.aborted) {
    let claimed = 0;
    try {
      claimed = await sweep(context, FILES_PER_ROUND);
      observer?.swept(claimed);
    } catch (error) {
      if (error instanceof SweepError) {
        ({ claimed } = error);
        observer?.swept(error.removed);
      }
      tellOf(error);
    }
    await reconcileOnce(context, log, everyMs).catch(tellOf);
    // A full round means that more is waiting.
    if (claimed < FILES_PER_ROUND) await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One step in a round of all servers together: whoever comes first takes it from where the last one stopped. */
async function reconcileOnce(context: Context, log: FastifyBaseLogger, everyMs: number): Promise<void> {
  // A little less than the time between two rounds, or a single server would find its own lease in its way.
  const progress = await context.metadata.claimJob(RECONCILING, context.clock.nowMs(), everyMs * 0.9);
  if (progress === undefined) return;
  const found = await reconcile(context, cursorsOf(progress), KEYS_PER_ROUND);
  await context.metadata.saveProgress(RECONCILING, JSON.stringify(found.cursors));
  if (found.lost > 0) log.error({ files: found.lost }, 'stored bytes were missing: these files are gone');
  if (found.orphans > 0) log.warn({ objects: found.orphans }, 'removed bytes that no file knew');
  const { failures } = found;
  if (failures.length > 0) throw new Error(`${failures.length} could not be reconciled`, { cause: failures[0] });
}

function cursorsOf(progress: string): Cursors {
  return progress === '' ? { object: '', row: '' } : (JSON.parse(progress) as Cursors);
}
