import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { createMutex, indexesUpTo, runLanes } from './lanes.ts';

const uncancelled = new AbortController().signal;

describe('runLanes', () => {
  it('runs every task once, and as many at a time as there are lanes', async () => {
    const clock = createFakeClock();
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await runLanes(3, indexesUpTo(20), uncancelled, async (task, signal) => {
      running += 1;
      most = Math.max(most, running);
      await clock.sleep(10 + (task % 4), signal);
      running -= 1;
      done.push(task);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual([...indexesUpTo(20)]);
    expect(most).toBe(3);
  });

  it('takes a task only when a lane is free', async () => {
    let pulled = 0;
    function* tasks() {
      for (;;) yield (pulled += 1);
    }
    const run = runLanes(2, tasks(), uncancelled, async (task) => {
      await Promise.resolve();
      if (task === 10) throw new Failure('NETWORK');
    });
    await expect(run).rejects.toThrowError('NETWORK');
    expect(pulled).toBeLessThanOrEqual(12);
  });

  it('aborts the other lanes on the first failure, waits for them, and throws that failure', async () => {
    const clock = createFakeClock();
    const ended: string[] = [];
    const run = runLanes(3, ['slow', 'failing', 'slower', 'never started'], uncancelled, async (task, signal) => {
      if (task === 'failing') throw new Failure('FILE_UNREADABLE');
      await clock.sleep(1000, signal).catch(() => {});
      await Promise.resolve();
      ended.push(task);
      if (signal.aborted) throw new Failure('CANCELLED');
    });
    await expect(run).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(ended).toEqual(['slow', 'slower']);
    expect(clock.nowMs()).toBe(0);
  });

  it('throws CANCELLED after its lanes have ended', async () => {
    const abort = new AbortController();
    let ended = 0;
    const run = runLanes(2, indexesUpTo(9), abort.signal, async (task) => {
      if (task === 1) abort.abort();
      await Promise.resolve();
      ended += 1;
    });
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(ended).toBe(2);
  });

  it('starts nothing if the signal is already aborted', async () => {
    let started = 0;
    const run = runLanes(2, indexesUpTo(9), AbortSignal.abort(), async () => void (started += 1));
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(started).toBe(0);
  });
});

it('runs one after the other, in order, even if the one before has failed', async () => {
  const runExclusive = createMutex();
  const steps: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    steps.push(`${name} begins`);
    await Promise.resolve();
    steps.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
  const ended = await Promise.allSettled([
    runExclusive(work('a', false)),
    runExclusive(work('b', true)),
    runExclusive(work('c', false)),
  ]);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
