// The clock of the engines: a monotonic time, and a sleep that can be aborted.
import { Failure } from '@furoshiki/api';
import type { Clock } from '@furoshiki/transfer';

export const browserClock: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, ms);
      function done() {
        signal.removeEventListener('abort', stop);
        resolve();
      }
      function stop() {
        clearTimeout(timer);
        reject(new Failure('CANCELLED'));
      }
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    }),
};
