// Locks that a tab holds until it lets go or is closed, so that others can tell whether it lives.
import type { TabLocks } from './upload-journal.ts';

export const tabLocks: TabLocks = {
  take: (name) =>
    new Promise((resolve, reject) => {
      const held = Promise.withResolvers<void>();
      navigator.locks
        .request(name, { ifAvailable: true }, (lock) => {
          resolve(lock === null ? undefined : held.resolve);
          return lock === null ? undefined : held.promise;
        })
        .catch(reject);
    }),
};
