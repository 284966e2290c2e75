// Virtual time for the app. React, the test runner and the browser keep their own.
import { vi } from 'vitest';

/** From now on the app's time moves only when a test moves it. Ends with the test. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
}

/**
 * In steps, so that React renders what each of them has changed. Assert without polling afterwards: `expect.poll` and
 * `expect.element` move the held time when they retry.
 */
export async function passTime(ms: number): Promise<void> {
  const step = 100;
  for (let passed = 0; passed < ms; passed += step) {
    await vi.advanceTimersByTimeAsync(Math.min(step, ms - passed));
    await rendered();
  }
}

/** React renders in tasks of a message channel. */
const rendered = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve());
    port1.start();
    port2.postMessage(undefined);
  });
