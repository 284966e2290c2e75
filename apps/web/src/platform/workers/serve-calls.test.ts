import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FromWorker, serveCalls, type ToWorker } from './serve-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('throttles progress to what the screen shows, and sends the result at once', async () => {
  const sent: FromWorker<string>[] = [];
  let receive: (message: ToWorker<string>) => void = () => {};
  const scope = {
    addEventListener(_: 'message', listener: (event: MessageEvent<ToWorker<string>>) => void) {
      receive = (data) => listener({ data } as MessageEvent<ToWorker<string>>);
    },
    postMessage: (message: FromWorker<string>) => void sent.push(message),
  };
  serveCalls<string, string>(scope, async (call, onProgress) => {
    for (const bytes of [1, 2, 3]) onProgress(bytes);
    await vi.advanceTimersByTimeAsync(200);
    for (const bytes of [4, 5]) onProgress(bytes);
    await vi.advanceTimersByTimeAsync(200);
    for (const bytes of [6, 7]) onProgress(bytes);
    return `${call}, done`;
  });
  receive({ id: 7, call: 'part' });
  await expect.poll(() => sent).toHaveLength(3);
  expect(sent).toEqual([
    { id: 7, progress: 4 },
    { id: 7, progress: 6 },
    { id: 7, result: 'part, done' },
  ]);
});
