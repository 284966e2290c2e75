import { Failure, type FailureCode } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { MB } from '@furoshiki/format';
import {
  type ConnectionQuality,
  createConcurrencyLimiter,
  laneCount,
  type PartAttempt,
  partsInMemory,
} from './adaptive-concurrency.ts';
import { retryPart } from '../resilience/retry.ts';

const { signal } = new AbortController();

const USUAL_MS = 60_000;

/** Attempts that end when the test settles them. */
function setUp(lanes: number) {
  const line = { waitUntilReachable: async () => true };
  const time = { nowMs: 0 };
  const clock = { nowMs: () => time.nowMs };
  const limiter = createConcurrencyLimiter({
    clock,
    network: { waitUntilReachable: () => line.waitUntilReachable() },
  });
  const running: { patienceMs: number; end(): void; fail(code: FailureCode): void }[] = [];
  const begin = (given = signal, part: Partial<PartAttempt> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const attempt = (patienceMs: number) => {
      running.push({ patienceMs, end: resolve, fail: (code) => reject(new Failure(code)) });
      return promise;
    };
    const ended = limiter.run({ fileIndex: 0, bytes: 1, maxLanes: lanes, usualMs: USUAL_MS, ...part }, given, attempt);
    ended.catch(() => {});
    return ended;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { limiter, line, time, running, begin, settle };
}

describe('the limiter', () => {
  it('never runs more attempts than there are lanes', async () => {
    const { running, begin, settle } = setUp(2);
    for (let n = 0; n < 4; n += 1) void begin();
    await settle();
    expect(running).toHaveLength(2);
    running[0]?.end();
    await settle();
    expect(running).toHaveLength(3);
  });

  it('lets the parts of earlier files go first', async () => {
    const { begin, running, settle } = setUp(2);
    const order: number[] = [];
    const part = (fileIndex: number) => begin(signal, { fileIndex }).then(() => void order.push(fileIndex));
    const all = [0, 1, 9, 4, 7, 2].map(part);
    await settle();
    while (running.length > 0) {
      running.shift()?.end();
      await settle();
    }
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 4, 7, 9]);
  });

  it('begins with two lanes, adds one after each success, and halves once for all that broke off together', async () => {
    const { running, begin, settle } = setUp(8);
    for (let n = 0; n < 60; n += 1) void begin();
    await settle();
    expect(running).toHaveLength(2);
    for (const grown of [3, 4, 5, 6, 7, ...Array<number>(9).fill(8)]) {
      running.shift()?.end();
      await settle();
      expect(running).toHaveLength(grown);
    }
    for (const halved of [4, 2, 1, 1]) {
      for (const attempt of running.splice(0)) attempt.fail('NETWORK');
      await settle();
      expect(running).toHaveLength(halved);
    }
    running.shift()?.end();
    await settle();
    expect(running).toHaveLength(2);
  });

  it('keeps its lanes for the next file of similar parts', async () => {
    const { running, begin, settle } = setUp(8);
    for (let n = 0; n < 8; n += 1) void begin();
    await settle();
    while (running.length > 0) {
      running.shift()?.end();
      await settle();
    }
    for (let n = 0; n < 8; n += 1) void begin(signal, { fileIndex: 1 });
    await settle();
    expect(running).toHaveLength(8);
  });

  it('adds a lane only if every part would still finish early', async () => {
    const { time, running, begin, settle } = setUp(8);
    for (let n = 0; n < 8; n += 1) void begin();
    await settle();
    time.nowMs = 30_000;
    running.shift()?.end();
    await settle();
    expect(running).toHaveLength(2);
    time.nowMs = 50_000;
    running.pop()?.end();
    await settle();
    expect(running).toHaveLength(3);
  });

  it('uses the maximum timeout after a part has timed out that was sent without others, and not before', async () => {
    const { running, begin, settle } = setUp(2);
    for (let n = 0; n < 8; n += 1) void begin();
    await settle();
    for (const attempt of running.splice(0)) attempt.fail('TIMEOUT');
    await settle();
    expect(running).toMatchObject([{ patienceMs: USUAL_MS }]);
    running.shift()?.fail('TIMEOUT');
    await settle();
    expect(running).toMatchObject([{ patienceMs: 600_000 }]);
  });

  it('starts nothing after a broken connection until the server can be reached', async () => {
    const { line, running, begin, settle } = setUp(1);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    line.waitUntilReachable = () => promise;
    for (let n = 0; n < 2; n += 1) void begin();
    await settle();
    running.shift()?.fail('NETWORK');
    await settle();
    expect(running).toHaveLength(0);
    resolve(true);
    await settle();
    expect(running).toHaveLength(1);
  });

  it('does not slow down for failures of another kind', async () => {
    const { running, begin, settle } = setUp(2);
    for (let n = 0; n < 4; n += 1) void begin();
    await settle();
    for (const attempt of running.splice(0)) attempt.fail('FILE_UNREADABLE');
    await settle();
    expect(running).toHaveLength(2);
  });

  it('releases a cancelled attempt and its lane', async () => {
    const { running, begin, settle } = setUp(1);
    void begin();
    const abort = new AbortController();
    const cancelled = begin(abort.signal);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    void begin();
    await settle();
    running[0]?.end();
    await settle();
    expect(running).toHaveLength(2);
    await expect(begin(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('counts a broken connection only if no other part got through', async () => {
    const { limiter, running, begin, settle } = setUp(4);
    const policy = limiter.ignoreBreaksDuringProgress(retryPart);
    const broken = new Failure('NETWORK');
    const getThrough = async () => {
      void begin();
      await settle();
      running.shift()?.end();
      await settle();
    };
    expect([1, 2, 3].map((attempt) => policy(broken, attempt))).toEqual([2000, 4000, 8000]);
    await getThrough();
    expect([4, 5, 6, 7].map((attempt) => policy(broken, attempt))).toEqual([2000, 4000, 8000, 'stop']);
    await getThrough();
    expect(policy(new Failure('URL_EXPIRED', { status: 403 }), 8)).toBe('stop');
  });
});

const plenty = { memoryBytes: Number.POSITIVE_INFINITY, connections: Number.POSITIVE_INFINITY };

it.each<[ConnectionQuality, number]>([
  ['slow', 2],
  ['medium', 5],
  ['fast', 8],
  ['unknown', 4],
])('allows, for a %s connection, %d lanes', (quality, lanes) => {
  expect(laneCount({ ...plenty, quality }, 25 * MB)).toBe(lanes);
});

it.each([
  [5, 8],
  [25, 3],
  [50, 1],
  [1000, 1],
])('keeps parts of %d MB, each four times in memory, within 350 MB with %d lanes', (partMb, lanes) => {
  expect(laneCount({ ...plenty, quality: 'fast', memoryBytes: 350 * MB }, partMb * MB)).toBe(lanes);
  expect(Math.min(partsInMemory(350 * MB, partMb * MB), 8)).toBe(lanes);
});

it('leaves one connection free', () => {
  expect(laneCount({ ...plenty, quality: 'fast', connections: 6 }, 1)).toBe(5);
});
