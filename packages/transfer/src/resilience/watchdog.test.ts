import { Failure } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { underWatch } from './watchdog.ts';

const { signal } = new AbortController();
const patience = { idleMs: 1000, totalMs: 3500 };

describe('underWatch', () => {
  it('answers what the work answers, and watches no longer', async () => {
    const clock = createFakeClock();
    expect(await underWatch(clock, patience, signal, async () => 7)).toBe(7);
    expect([clock.nowMs(), clock.sleeping()]).toEqual([0, 0]);
  });

  it('throws what the work throws', async () => {
    const work = underWatch(createFakeClock(), patience, signal, async () => {
      throw new Failure('NETWORK');
    });
    await expect(work).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('ends work that shows no life, and does not wait for it', async () => {
    const clock = createFakeClock();
    let workSignal: AbortSignal | undefined;
    const work = underWatch(clock, patience, signal, (given) => {
      workSignal = given;
      return new Promise<never>(() => {});
    });
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect([clock.nowMs(), workSignal?.aborted, clock.sleeping()]).toEqual([1000, true, 0]);
  });

  it('calls it TIMEOUT also where the work says that it was aborted', async () => {
    const work = underWatch(createFakeClock(), patience, signal, aborted);
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('lets work that shows life go on, up to the end of all patience', async () => {
    const clock = createFakeClock();
    const work = underWatch(clock, patience, signal, async (given, showLife) => {
      for (;;) {
        await clock.sleep(900, given);
        showLife();
      }
    });
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(clock.nowMs()).toBe(3500);
  });

  it('passes a cancel on', async () => {
    const abort = new AbortController();
    const work = underWatch(createFakeClock(), patience, abort.signal, aborted);
    abort.abort();
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

function aborted(given: AbortSignal): Promise<never> {
  return new Promise((_, reject) => given.addEventListener('abort', () => reject(new Failure('CANCELLED'))));
}
