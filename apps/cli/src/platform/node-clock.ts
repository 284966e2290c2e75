// The clock of the engines: a monotonic time, and a sleep that can be aborted.
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@furoshiki/api';
import type { Clock } from '@furoshiki/transfer';

export const nodeClock: Clock = {
  nowMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      throw new Failure('CANCELLED');
    }
  },
};
