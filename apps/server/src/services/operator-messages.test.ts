import { expect, it } from 'vitest';
import { backoffMs } from './operator-messages.ts';

it('waits a minute after the first failure, then twice as long each time, and never longer than an hour', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 5000].map((attempts) => backoffMs(attempts) / 60_000);
  expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});
