import { describe, expect, it } from 'vitest';
import { addSample, bytesPerSecond, estimate, NO_SPEED, roundTime, type Speed } from './speed.ts';

/** Takes a sample every 200 ms. */
function steadily(bytesPerTick: number, ticks: number, from: Speed = NO_SPEED): Speed {
  const start = from.samples.at(-1) ?? { atMs: 0, bytes: 0, files: 0 };
  let speed = from;
  for (let tick = 1; tick <= ticks; tick += 1)
    speed = addSample(speed, { atMs: start.atMs + tick * 200, bytes: start.bytes + tick * bytesPerTick, files: 0 });
  return speed;
}

describe('the speed', () => {
  it('is undefined until the samples span a second', () => {
    expect(bytesPerSecond(steadily(100, 5))).toBeUndefined();
    expect(bytesPerSecond(steadily(100, 6))).toBe(500);
  });

  it('is measured from the first byte, without the preparation before it', () => {
    expect(bytesPerSecond(steadily(100, 6, steadily(0, 20)))).toBe(500);
  });

  it('follows a change of the connection within the window', () => {
    expect(bytesPerSecond(steadily(400, 31, steadily(100, 50)))).toBe(2000);
  });

  it('is zero if nothing moves, and then there is no remaining time', () => {
    const stalled = steadily(0, 31, steadily(100, 50));
    expect(bytesPerSecond(stalled)).toBe(0);
    expect(estimate(stalled, { bytes: 1e6, files: 0 })).toEqual({ bytesPerSecond: 0, secondsRemaining: undefined });
  });

  it('is never negative: it is measured again from the sample at which the byte count went down', () => {
    const speed = addSample(steadily(100, 50), { atMs: 10_200, bytes: 10, files: 0 });
    expect(bytesPerSecond(speed)).toBeUndefined();
  });

  it('is added to the history once a second', () => {
    expect(steadily(100, 50).history).toEqual(Array.from({ length: 9 }, () => 500));
    expect(steadily(100, 500).history).toHaveLength(40);
  });
});

it('estimates the remaining time from the speed', () => {
  expect(estimate(steadily(100, 10), { bytes: 2000, files: 0 })).toEqual({ bytesPerSecond: 500, secondsRemaining: 2 });
});

it('counts files as well as bytes for the remaining time', () => {
  const samples = [0, 1000, 2000].map((atMs) => ({ atMs, bytes: atMs * 10, files: atMs / 100 }));
  const speed = samples.reduce(addSample, NO_SPEED);
  // A file weighs more than its few bytes, so 80 more files take eight seconds, with or without bytes.
  expect(estimate(speed, { bytes: 100_000, files: 100 }).secondsRemaining).toBeCloseTo(8);
  expect(estimate(speed, { bytes: 20_001, files: 100 }).secondsRemaining).toBeCloseTo(8, 0);
});

it('returns neither speed nor time after the last byte, however long saving takes', () => {
  expect(estimate(steadily(100, 9), { bytes: 1000, files: 0 })).toEqual({ bytesPerSecond: 500, secondsRemaining: 0.2 });
  expect(estimate(steadily(100, 10), { bytes: 1000, files: 0 })).toEqual({});
  expect(estimate(steadily(0, 20, steadily(100, 10)), { bytes: 1000, files: 0 })).toEqual({});
});

it.each([
  [0.2, 1, 'seconds'],
  [59.1, 60, 'seconds'],
  [61, 2, 'minutes'],
  [90 * 60, 90, 'minutes'],
  [91 * 60, 2, 'hours'],
])('rounds %d seconds to %d %s', (seconds, count, unit) => {
  expect(roundTime(seconds)).toEqual({ unit, count });
});
