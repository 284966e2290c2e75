// One round of cleanup: forgets what has expired, and removes the bytes of doomed files.
import type { Stores } from '../context.ts';
import { utcDay } from '../utc-day.ts';
import { removeBytes } from './remove-bytes.ts';

/** Longer than a round takes. After it, any server retries the files that a crash or a failing store left behind. */
const LEASE_MS = 60_000;

/** Some files of a round could not be removed. They stay doomed, and the first sweep after their lease retries them. */
export class SweepError extends Error {
  /** How many files the round claimed, including those that it removed. */
  readonly claimed: number;
  readonly removed: number;

  constructor(claimed: number, failures: unknown[]) {
    super(`${failures.length} of ${claimed} files could not be removed`, { cause: failures[0] });
    this.claimed = claimed;
    this.removed = claimed - failures.length;
  }
}

/** Returns how many files it removed: at most `limit`. */
export async function sweep(context: Stores, limit: number): Promise<number> {
  const nowMs = context.clock.nowMs();
  await context.metadata.forgetVolumes(utcDay(nowMs), limit);
  await context.metadata.doomOverdue(nowMs, limit);
  await context.metadata.forgetGrants(nowMs, limit);
  // Repeats until nothing is left: every request may add a row, so a bounded number per round could fall behind.
  while ((await context.metadata.forgetHits(nowMs, limit)) >= limit);
  while ((await context.metadata.forgetResumeSecrets(nowMs, limit)) >= limit);
  const doomed = await context.metadata.claimDoomed(nowMs, LEASE_MS, limit);
  const failures: unknown[] = [];
  for (const file of doomed) {
    try {
      await removeBytes(context, file);
    } catch (error) {
      // A file that cannot be removed must not block the others. If a store is down, stop: each file would wait for a timeout.
      await Promise.all([context.objects.ping(), context.metadata.ping()]);
      failures.push(error);
    }
  }
  await context.metadata.eraseTraces(nowMs);
  if (failures.length > 0) throw new SweepError(doomed.length, failures);
  return doomed.length;
}
