import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { withTimeouts } from './watchdog.ts';

const { signal } = new AbortController();
const timeouts = { idleMs: 1000, totalMs: 3500 };

describe('withTimeouts', () => {
  it('returns the result of the work, and stops watching', async () => {
    const clock = createFakeClock();
    expect(await withTimeouts(clock, timeouts, signal, async () => 7)).toBe(7);
    expect([clock.nowMs(), clock.sleeping()]).toEqual([0, 0]);
  });

  it('throws what the work throws', async () => {
    const work = withTimeouts(createFakeClock(), timeouts, signal, async () => {
      throw new Failure('NETWORK');
    });
    await expect(work).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('ends work that makes no progress, and does not wait for it', async () => {
    const clock = createFakeClock();
    let workSignal: AbortSignal | undefined;
    const work = withTimeouts(clock, timeouts, signal, (given) => {
      workSignal = given;
      return new Promise<never>(() => {});
    });
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect([clock.nowMs(), workSignal?.aborted, clock.sleeping()]).toEqual([1000, true, 0]);
  });

  it('throws TIMEOUT even if the work throws CANCELLED', async () => {
    const work = withTimeouts(createFakeClock(), timeouts, signal, aborted);
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('lets work that makes progress continue until the total timeout', async () => {
    const clock = createFakeClock();
    const work = withTimeouts(clock, timeouts, signal, async (given, onAlive) => {
      for (;;) {
        await clock.sleep(900, given);
        onAlive();
      }
    });
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(clock.nowMs()).toBe(3500);
  });

  it('passes on a cancellation', async () => {
    const abort = new AbortController();
    const work = withTimeouts(createFakeClock(), timeouts, abort.signal, aborted);
    abort.abort();
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

function aborted(given: AbortSignal): Promise<never> {
  return new Promise((_, reject) => given.addEventListener('abort', () => reject(new Failure('CANCELLED'))));
}
