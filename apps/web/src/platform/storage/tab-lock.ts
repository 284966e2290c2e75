// A lock that a tab holds until it releases it or is closed, so that other tabs can see whether that tab is still open.

export type Release = () => void;

/** Returns the function that releases the lock, or undefined if another tab holds it. */
export function acquireTabLock(name: string): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    const held = Promise.withResolvers<void>();
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        resolve(lock === null ? undefined : held.resolve);
        return lock === null ? undefined : held.promise;
      })
      .catch(reject);
  });
}
