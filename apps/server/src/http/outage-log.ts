// Logs when the database or the storage fails and when it works again: a few lines, however many calls fail.
import type { FastifyBaseLogger } from 'fastify';
import { aroundCalls, StoreFailure } from '../ports/store-failures.ts';

type Dependency = 'database' | 'storage';

/** While it fails, a line this often, and one for each new cause in between. */
const REPEAT_MS = 60_000;
const MAX_CAUSES = 5;
/** An outage has ended if no call has failed for so long. A store that fails now and then has one outage, not hundreds. */
const QUIET_MS = 10_000;

interface Outage {
  firstMs: number;
  lastMs: number;
  loggedMs: number;
  /** Codes of the lines since then. */
  loggedCodes: Set<string>;
  failedCalls: number;
  /** Only these prove by a success that it is over: reading works on a full disk too. */
  failedMethods: Set<string>;
}

/** Returns the store. Every call of it that fails because of the store is counted. */
export function logOutages<Store extends object>(
  dependency: Dependency,
  store: Store,
  logger: () => Pick<FastifyBaseLogger, 'error' | 'warn'>,
  nowMs: () => number = () => performance.now(),
): Store {
  let outage: Outage | undefined;

  function count(failure: StoreFailure, method: string): void {
    const now = nowMs();
    const current = outage ?? {
      firstMs: now,
      lastMs: now,
      loggedMs: now,
      loggedCodes: new Set(),
      failedCalls: 0,
      failedMethods: new Set(),
    };
    outage = current;
    current.lastMs = now;
    current.failedCalls += 1;
    current.failedMethods.add(method);
    const { code, engineCode } = failure;
    if (now - current.loggedMs >= REPEAT_MS) {
      current.loggedMs = now;
      current.loggedCodes.clear();
    }
    if (current.loggedCodes.has(engineCode) || current.loggedCodes.size >= MAX_CAUSES) return;
    current.loggedCodes.add(engineCode);
    const isFull = code === 'QUOTA_EXCEEDED';
    logger().error(
      { dependency, code: engineCode, failedCalls: current.failedCalls },
      isFull ? `the ${dependency} is full` : `the ${dependency} cannot be used`,
    );
  }

  return aroundCalls(store, {
    succeeded(method) {
      if (!outage?.failedMethods.has(method) || nowMs() - outage.lastMs < QUIET_MS) return;
      const { failedCalls, firstMs, lastMs } = outage;
      const seconds = Math.round((lastMs - firstMs) / 1000);
      outage = undefined;
      logger().warn({ dependency, failedCalls, seconds }, `the ${dependency} works again`);
    },
    failed(error, method) {
      if (error instanceof StoreFailure) count(error, method);
      return error;
    },
  });
}
