import { Failure, type FailureCode } from '@furoshiki/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../testing/fake-clock.ts';
import { createFakeNetwork, type FakeNetwork } from '../../testing/fake-network.ts';
import { createFakeServer, type FakeServer } from '../../testing/fake-server.ts';
import { createNetwork, mayBeUnreachable } from './network.ts';
import { retryCall, withRetries } from './retry.ts';

const { signal } = new AbortController();
let clock: FakeClock;
let server: FakeServer;
let network: FakeNetwork;
beforeEach(() => {
  clock = createFakeClock();
  server = createFakeServer(clock, 1, () => undefined);
  network = createFakeNetwork(clock, server);
});
const probes = () => server.counts.get('readiness');

describe('the network', () => {
  it('is reachable when the server responds', async () => {
    expect(await network.waitUntilReachable(signal)).toBe(false);
    expect([probes(), clock.nowMs(), network.isUnreachable()]).toEqual([1, 0, false]);
  });

  it('probes after 1, 2, 4, 8, 16 and then every 30 seconds, and reports that it waits', async () => {
    const changes: boolean[] = [];
    network.subscribe(() => changes.push(network.isUnreachable()));
    network.pull();
    const back = network.waitUntilReachable(signal);
    await clock.sleep(120_000, signal);
    expect([network.isUnreachable(), probes()]).toEqual([true, 8]);
    // No event reports that it is back: the next probe finds out.
    server.isReachable = true;
    expect(await back).toBe(true);
    expect([clock.nowMs(), network.isUnreachable(), changes]).toEqual([121_000, false, [true, false]]);
  });

  it('does not probe at the same times for two clients of the same server', async () => {
    const probedAt = async (chance: number) => {
      const time = createFakeClock(() => chance);
      const times: number[] = [];
      const client = createNetwork({
        clock: time,
        onlineEvents: { onOnline: () => () => {} },
        async probe() {
          times.push(time.nowMs());
          return { ready: times.length > 7 };
        },
      });
      await client.waitUntilReachable(signal);
      return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    };
    expect(await probedAt(0)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(await probedAt(0.5)).toEqual([1250, 2500, 5000, 10_000, 20_000, 37_500, 37_500]);
  });

  it('probes at once when the device reports that it is online', async () => {
    network.pull();
    const back = network.waitUntilReachable(signal);
    await clock.sleep(40_000, signal);
    network.plug();
    expect(await back).toBe(true);
    expect(clock.nowMs()).toBe(40_000);
  });

  it('listens to the device only while it waits', async () => {
    const listeners = new Set<() => void>();
    const counts: number[] = [];
    const client = createNetwork({
      clock,
      onlineEvents: {
        onOnline(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      async probe() {
        counts.push(listeners.size);
        return { ready: counts.length > 3 };
      },
    });
    const back = client.waitUntilReachable(signal);
    await clock.sleep(10, signal);
    expect(listeners.size).toBe(1);
    await back;
    expect([counts, listeners.size]).toEqual([[0, 0, 0, 0], 0]);
  });

  it('shares one probe among all callers', async () => {
    network.pull();
    const waiting = [1, 2, 3].map(() => network.waitUntilReachable(signal));
    await clock.sleep(500, signal);
    expect(probes()).toBe(1);
    network.plug();
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(probes()).toBe(2);
  });

  it('rejects a cancelled caller at once, and stops the probe after the last one', async () => {
    network.pull();
    const aborts = [new AbortController(), new AbortController()];
    const waiting = aborts.map((abort) => network.waitUntilReachable(abort.signal).catch((thrown) => thrown.code));
    await clock.sleep(10, signal);
    aborts[0]?.abort();
    expect([await waiting[0], network.isUnreachable()]).toEqual(['CANCELLED', true]);
    aborts[1]?.abort();
    expect([await waiting[1], network.isUnreachable()]).toEqual(['CANCELLED', false]);
    expect([clock.nowMs(), clock.sleeping(), probes()]).toEqual([10, 0, 1]);
    server.isReachable = true;
    expect(await network.waitUntilReachable(signal)).toBe(false);
    await expect(network.waitUntilReachable(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('counts as unreachable while the server has no database or storage', async () => {
    server.isReady = false;
    const back = network.waitUntilReachable(signal);
    await clock.sleep(40_000, signal);
    expect(network.isUnreachable()).toBe(true);
    server.isReady = true;
    expect(await back).toBe(true);
  });

  it.each<[FailureCode, number, boolean]>([
    ['RATE_LIMITED', 429, true],
    ['INTERNAL', 500, true],
    ['SERVICE_UNAVAILABLE', 503, false],
    ['API_ERROR', 200, false],
    ['API_ERROR', 502, false],
    ['TIMEOUT', 0, false],
  ])('treats %s %d as a response: %s', async (code, status, isAnswer) => {
    let asked = 0;
    const failing = createNetwork({
      clock,
      onlineEvents: { onOnline: () => () => {} },
      async probe() {
        asked += 1;
        if (asked === 1) throw new Failure(code, { status });
        return { ready: true };
      },
    });
    expect(await failing.waitUntilReachable(signal)).toBe(!isAnswer);
  });
});

describe('a request that failed', () => {
  it.each<[FailureCode, number | undefined, boolean]>([
    ['NETWORK', undefined, true],
    ['TIMEOUT', undefined, true],
    ['API_ERROR', 200, true],
    ['API_ERROR', 503, true],
    ['STORAGE_ERROR', 502, true],
    ['STORAGE_ERROR', 504, true],
    ['STORAGE_ERROR', 500, true],
    ['API_ERROR', 429, false],
    ['API_ERROR', undefined, false],
    ['STORAGE_ERROR', 403, false],
    ['INTERNAL', 500, true],
    ['SERVICE_UNAVAILABLE', 503, true],
    ['CANCELLED', undefined, false],
  ])('with %s (%s) may mean an unreachable server: %s', (code, status, expected) => {
    expect(mayBeUnreachable(new Failure(code, status === undefined ? {} : { status }))).toBe(expected);
  });

  it('counts no attempt and adds no wait while the server is unreachable', async () => {
    network.pull();
    const attempts: number[] = [];
    const ports = { clock, network };
    const result = withRetries(ports, retryCall, signal, (attempt) => {
      attempts.push(attempt);
      return server.api.call('readiness', {}, signal);
    });
    await clock.sleep(3_600_000, signal);
    network.plug();
    await result;
    expect([attempts, clock.nowMs()]).toEqual([[1, 1], 3_600_000]);
  });

  it('counts an attempt if the server can be reached', async () => {
    const attempts: number[] = [];
    const failing = withRetries({ clock, network }, retryCall, signal, async (attempt) => {
      attempts.push(attempt);
      throw new Failure('NETWORK');
    });
    await expect(failing).rejects.toMatchObject({ code: 'NETWORK' });
    expect(attempts).toEqual([1, 2, 3, 4]);
  });
});
