// Lets work have its turn, one after the other.

export type RunExclusive = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    // What fails has had its turn all the same.
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
}
