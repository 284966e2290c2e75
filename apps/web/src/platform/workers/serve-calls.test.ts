import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromWorker, ToWorker } from './messages.ts';
import { serveCalls } from './serve-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells of progress no more often than the screen shows it, and of the answer at once', async () => {
  const told: FromWorker<string>[] = [];
  let say: (message: ToWorker<string>) => void = () => {};
  const scope = {
    addEventListener(_: 'message', listener: (event: MessageEvent<ToWorker<string>>) => void) {
      say = (data) => listener({ data } as MessageEvent<ToWorker<string>>);
    },
    postMessage: (message: FromWorker<string>) => void told.push(message),
  };
  serveCalls<string, string>(scope, async (request, onProgress) => {
    for (const bytes of [1, 2, 3]) onProgress(bytes);
    await vi.advanceTimersByTimeAsync(200);
    for (const bytes of [4, 5]) onProgress(bytes);
    return `${request}, sent`;
  });
  say({ id: 7, request: 'part' });
  await expect.poll(() => told).toHaveLength(3);
  expect(told).toEqual([
    { id: 7, progress: 1 },
    { id: 7, progress: 4 },
    { id: 7, answer: 'part, sent' },
  ]);
});
