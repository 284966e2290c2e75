// A mutex: runs async functions one after the other, in the order of the calls.

export type RunExclusive = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    // The next call runs even if this one fails.
    const run = last.then(work, work);
    last = run;
    return run;
  };
}
