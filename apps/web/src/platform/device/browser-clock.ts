// The clock of the engines: a monotonic time, a sleep that can be aborted, and chance.
import { Failure } from '@furoshiki/api';
import type { Clock } from '@furoshiki/transfer';

export const browserClock: Clock = {
  nowMs: () => performance.now(),
  random: Math.random,
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
