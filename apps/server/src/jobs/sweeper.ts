// Runs the sweep and the reconciliation side by side, each in rounds that never overlap.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../ports/clock.ts';
import { StoreFailure } from '../ports/store-failures.ts';
import type { Context } from '../services/context.ts';
import { sweep, SweepError } from '../services/deletion.ts';
import { type Cursors, reconcile } from '../services/reconcile.ts';
import { renewEpoch } from '../services/store-ownership.ts';

export const FILES_PER_ROUND = 500;
const KEYS_PER_ROUND = 500;
const RECONCILING = 'reconcile';

export interface SweepObserver {
  swept(files: number, milliseconds: number): void;
  failed(): void;
  /** Stored bytes of files were missing. */
  lost?(files: number): void;
}

/** Starts at once. When the signal aborts, it finishes the current round and resolves. */
export async function runSweeper(
  context: Context,
  log: FastifyBaseLogger,
  everyMs: number,
  signal: AbortSignal,
  observer?: SweepObserver,
): Promise<void> {
  function reportFailure(error: unknown): void {
    observer?.failed();
    // The log of outages has a line about it.
    if (error instanceof StoreFailure) return;
    log.error({ err: error }, 'a sweep failed and will be tried again');
  }

  /** Returns whether there is more to do. */
  async function sweepOnce(): Promise<boolean> {
    const startMs = performance.now();
    try {
      const claimed = await sweep(context, FILES_PER_ROUND);
      observer?.swept(claimed, performance.now() - startMs);
      return claimed === FILES_PER_ROUND;
    } catch (error) {
      reportFailure(error);
      if (!(error instanceof SweepError)) return false;
      observer?.swept(error.removed, performance.now() - startMs);
      return error.claimed === FILES_PER_ROUND;
    }
  }

  async function repeat(round: () => Promise<boolean>): Promise<void> {
    const hasClockJumped = watchClock(context.clock);
    while (!signal.aborted) {
      // What seems abandoned would be removed for good. Until the next round, the clock can be corrected.
      const isSkipped = hasClockJumped();
      if (isSkipped) log.warn('the clock has jumped ahead: one round is skipped');
      const hasMore = !isSkipped && (await round());
      if (!hasMore) await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  await Promise.all([
    repeat(sweepOnce),
    repeat(async () => {
      await reconcileOnce(context, log, everyMs, observer).catch(reportFailure);
      return false;
    }),
  ]);
}

/** All servers share one reconciliation: the first server to claim the job continues where the last one stopped. */
async function reconcileOnce(
  context: Context,
  log: FastifyBaseLogger,
  everyMs: number,
  observer: SweepObserver | undefined,
): Promise<void> {
  // A little less than the time between two rounds: otherwise a single server would be blocked by its own lease.
  const progress = await context.metadata.claimJob(RECONCILING, context.clock.nowMs(), everyMs * 0.9);
  if (progress === undefined) return;
  if (context.leavesEpochs) await renewEpoch(context);
  const found = await reconcile(context, cursorsOf(progress), KEYS_PER_ROUND);
  await context.metadata.saveProgress(RECONCILING, JSON.stringify(found.cursors));
  observer?.lost?.(found.lost);
  if (found.lost > 0) log.error({ files: found.lost }, 'stored bytes were missing: these files are gone');
  if (found.orphans > 0) log.warn({ objects: found.orphans }, 'removed bytes that no file knew');
  const { failures } = found;
  if (failures.length > 0) throw new Error(`${failures.length} could not be reconciled`, { cause: failures[0] });
}

function cursorsOf(progress: string): Cursors {
  return progress === '' ? { object: '', row: '' } : (JSON.parse(progress) as Cursors);
}

/** More than a correction by NTP, less than the 20 minutes after which an upload without a part counts as abandoned. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Notices that the clock of the machine was moved ahead, by mistake or because the machine has slept. The returned
 * function says whether the clock has jumped ahead since its last call.
 */
function watchClock(clock: Clock): () => boolean {
  const readOffset = () => clock.nowMs() - performance.now();
  let offsetMs = readOffset();
  return () => {
    const beforeMs = offsetMs;
    offsetMs = readOffset();
    return offsetMs - beforeMs > MAX_AHEAD_MS;
  };
}
