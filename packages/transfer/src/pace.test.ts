import { Failure, type FailureCode } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { createPace } from './pace.ts';
import { retryPart } from './retry.ts';

const { signal } = new AbortController();

/** Attempts that end when the test says so. */
function setUp(lanes: number) {
  const line = { untilReachable: async () => true };
  const pace = createPace(lanes, { untilReachable: () => line.untilReachable() });
  const running: { end(): void; fail(code: FailureCode): void }[] = [];
  const begin = (given = signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const attempt = () => {
      running.push({ end: resolve, fail: (code) => reject(new Failure(code)) });
      return promise;
    };
    const ended = pace.run(given, attempt);
    ended.catch(() => {});
    return ended;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { pace, line, running, begin, settle };
}

describe('the pace', () => {
  it('lets no more run than there are lanes', async () => {
    const { running, begin, settle } = setUp(2);
    for (let n = 0; n < 4; n += 1) void begin();
    await settle();
    expect(running).toHaveLength(2);
    running[0]?.end();
    await settle();
    expect(running).toHaveLength(3);
  });

  it('halves once for all that broke together, down to one, and grows by one with each that gets through', async () => {
    const { running, begin, settle } = setUp(8);
    const startNow = async () => {
      running.length = 0;
      for (let n = 0; n < 8; n += 1) void begin();
      await settle();
      return running.length;
    };
    const breakAll = async () => {
      while (running.length > 0) {
        running.shift()?.fail('NETWORK');
        await settle();
      }
    };
    expect(await startNow()).toBe(8);
    for (const attempt of running.splice(0)) attempt.fail('NETWORK');
    await settle();
    expect(await startNow()).toBe(4);
    for (const attempt of running.splice(0, 4)) attempt.fail('NETWORK');
    await settle();
    expect(running).toHaveLength(2);
    await breakAll();
    expect(await startNow()).toBe(1);
    running.shift()?.end();
    await settle();
    expect(running).toHaveLength(2);
  });

  it('lets nobody set out on a broken line before it is known to be whole', async () => {
    const { line, running, begin, settle } = setUp(1);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    line.untilReachable = () => promise;
    for (let n = 0; n < 2; n += 1) void begin();
    await settle();
    running.shift()?.fail('NETWORK');
    await settle();
    expect(running).toHaveLength(0);
    resolve(true);
    await settle();
    expect(running).toHaveLength(1);
  });

  it('does not slow down for what is not the connection', async () => {
    const { running, begin, settle } = setUp(2);
    for (let n = 0; n < 4; n += 1) void begin();
    await settle();
    for (const attempt of running.splice(0)) attempt.fail('FILE_UNREADABLE');
    await settle();
    expect(running).toHaveLength(2);
  });

  it('lets who is cancelled go, and room for others', async () => {
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

  it('counts a broken connection against a part only where nothing else got through', async () => {
    const { pace, running, begin, settle } = setUp(4);
    const policy = pace.forgive(retryPart);
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
