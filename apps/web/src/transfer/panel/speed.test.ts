import { describe, expect, it } from 'vitest';
import { addSample, bytesPerSecond, NO_SPEED, estimate, type Speed, roundTime } from './speed.ts';

/** Read off every 200 ms. */
function steadily(bytesPerTick: number, ticks: number, from: Speed = NO_SPEED): Speed {
  const start = from.samples.at(-1) ?? { atMs: 0, bytes: 0 };
  let pace = from;
  for (let tick = 1; tick <= ticks; tick += 1)
    pace = addSample(pace, { atMs: start.atMs + tick * 200, bytes: start.bytes + tick * bytesPerTick });
  return pace;
}

describe('the speed', () => {
  it('is not told before there is a second to judge by', () => {
    expect(bytesPerSecond(steadily(100, 5))).toBeUndefined();
    expect(bytesPerSecond(steadily(100, 6))).toBe(500);
  });

  it('counts from the first byte, not from the work before it', () => {
    expect(bytesPerSecond(steadily(100, 6, steadily(0, 20)))).toBe(500);
  });

  it('follows the line within the window', () => {
    expect(bytesPerSecond(steadily(400, 31, steadily(100, 50)))).toBe(2000);
  });

  it('is nothing where nothing moves, and then no time is told', () => {
    const stalled = steadily(0, 31, steadily(100, 50));
    expect(bytesPerSecond(stalled)).toBe(0);
    expect(estimate(stalled, 1e6)).toEqual({ speed: 0, secondsRemaining: undefined });
  });

  it('is never negative: bytes that are taken back begin a new look', () => {
    const pace = addSample(steadily(100, 50), { atMs: 10_200, bytes: 10 });
    expect(bytesPerSecond(pace)).toBeUndefined();
  });

  it('is remembered once a second', () => {
    expect(steadily(100, 50).history).toEqual(Array.from({ length: 9 }, () => 500));
    expect(steadily(100, 500).history).toHaveLength(40);
  });
});

it('tells the time left by the speed', () => {
  expect(estimate(steadily(100, 10), 2000)).toEqual({ speed: 500, secondsRemaining: 2 });
});

it('tells neither speed nor time once every byte is there, however long saving takes', () => {
  expect(estimate(steadily(100, 9), 1000)).toEqual({ speed: 500, secondsRemaining: 0.2 });
  expect(estimate(steadily(100, 10), 1000)).toEqual({});
  expect(estimate(steadily(0, 20, steadily(100, 10)), 1000)).toEqual({});
});

it.each([
  [0.2, 1, 'seconds'],
  [59.1, 60, 'seconds'],
  [61, 2, 'minutes'],
  [90 * 60, 90, 'minutes'],
  [91 * 60, 2, 'hours'],
])('%d seconds are told as %d %s', (seconds, count, unit) => {
  expect(roundTime(seconds)).toEqual({ unit, count });
});
