// Runs tasks in a bounded number of lanes, each of which takes the next task when it is free, or strictly one after the other.
import { assertNotCancelled } from '../resilience/cancellation.ts';

/** After the first failure the other lanes are aborted. It is thrown when all lanes have ended. */
export async function runLanes<Task>(
  count: number,
  tasks: Iterable<Task>,
  signal: AbortSignal,
  run: (task: Task, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const laneSignal = AbortSignal.any([signal, failed.signal]);
  const failures: unknown[] = [];
  const remaining = tasks[Symbol.iterator]();

  async function runLane(): Promise<void> {
    try {
      while (!laneSignal.aborted) {
        const next = remaining.next();
        if (next.done) return;
        await run(next.value, laneSignal);
      }
    } catch (thrown) {
      failures.push(thrown);
      failed.abort();
    }
  }

  await Promise.all(Array.from({ length: count }, runLane));
  assertNotCancelled(signal);
  if (failures.length > 0) throw failures[0];
}

/** 0, 1, … up to, not including, `count`. */
export function indexesUpTo(count: number): Generator<number> {
  return indexesFrom(0, count);
}

/** From `first` up to, not including, `count`. */
export function* indexesFrom(first: number, count: number): Generator<number> {
  for (let index = first; index < count; index += 1) yield index;
}

/** Runs async functions in the order of the calls, `count` at the same time. */
export function createGate(count: number): RunExclusive {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

type RunExclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs async functions one after the other, in the order of the calls. */
export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    // The next call runs even if this one fails.
    const run = last.then(work, work);
    last = run;
    return run;
  };
}
