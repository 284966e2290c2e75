import { Failure, type FailureCode } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../testing/fake-clock.ts';
import { createFakeNetwork } from '../../testing/fake-network.ts';
import { createFakeServer } from '../../testing/fake-server.ts';
import { retryCall, retryCompletion, retryFile, retryPart, withRetries } from './retry.ts';

const failure = (code: FailureCode, status?: number) => new Failure(code, status === undefined ? {} : { status });

describe('what is retried', () => {
  it.each<[FailureCode, number | undefined, 'both' | 'part' | 'never']>([
    ['NETWORK', undefined, 'both'],
    ['TIMEOUT', undefined, 'both'],
    ['STORAGE_ERROR', undefined, 'both'],
    ['STORAGE_ERROR', 408, 'both'],
    ['STORAGE_ERROR', 425, 'both'],
    ['STORAGE_ERROR', 429, 'both'],
    ['STORAGE_ERROR', 500, 'both'],
    ['STORAGE_ERROR', 503, 'both'],
    ['STORAGE_ERROR', 403, 'part'],
    ['STORAGE_ERROR', 400, 'never'],
    ['STORAGE_ERROR', 404, 'never'],
    ['API_ERROR', 429, 'both'],
    ['API_ERROR', 502, 'both'],
    ['API_ERROR', 400, 'never'],
    ['API_ERROR', undefined, 'never'],
    ['INTERNAL', 500, 'both'],
    ['SERVICE_UNAVAILABLE', 503, 'both'],
    ['RATE_LIMITED', 429, 'both'],
    ['URL_EXPIRED', 403, 'part'],
    ['SIGNATURE_INVALID', 403, 'part'],
    ['PART_LENGTH_INVALID', 400, 'part'],
    ['CANCELLED', undefined, 'never'],
    ['VALIDATION_FAILED', 400, 'never'],
    ['NOT_FOUND', 404, 'never'],
    ['QUOTA_EXCEEDED', 507, 'never'],
    ['DOWNLOAD_LIMIT_REACHED', 403, 'never'],
    ['FILE_UNREADABLE', undefined, 'never'],
    ['SAVE_FAILED', undefined, 'never'],
    ['ENCRYPTION_FAILED', undefined, 'never'],
    ['DECRYPTION_FAILED', undefined, 'never'],
    ['KEY_INCORRECT', undefined, 'never'],
    ['UNKNOWN', undefined, 'never'],
  ])('%s with status %s: %s', (code, status, tried) => {
    expect(retryPart(failure(code, status), 1)).toBe(tried === 'never' ? 'stop' : 2000);
    expect(retryCall(failure(code, status), 1)).toBe(tried === 'both' ? 2000 : 'stop');
  });

  it.each([retryPart, retryCall])('waits 2, 4 and 8 seconds and stops after three retries', (policy) => {
    expect([1, 2, 3, 4].map((attempt) => policy(failure('NETWORK'), attempt))).toEqual([2000, 4000, 8000, 'stop']);
  });

  it('stops after two fresh URLs that the storage refuses', () => {
    for (const refused of [failure('STORAGE_ERROR', 403), failure('URL_EXPIRED', 403)]) {
      expect([1, 2, 3].map((attempt) => retryPart(refused, attempt))).toEqual([2000, 4000, 'stop']);
      expect(retryFile(refused, 1)).toBe('stop');
    }
    expect([1, 2, 3].map((attempt) => retryFile(failure('NETWORK'), attempt))).toEqual([2000, 4000, 'stop']);
  });

  it('waits up to 30 seconds for the calls after the last byte, and stops after 24 retries', () => {
    const waits = Array.from({ length: 25 }, (_, index) => retryCompletion(failure('TIMEOUT'), index + 1));
    expect(waits.slice(0, 6)).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect([waits[23], waits[24]]).toEqual([30_000, 'stop']);
    expect(retryCompletion(failure('NOT_FOUND'), 1)).toBe('stop');
  });
});

describe('a server that sends Retry-After', () => {
  const limited = (retryAfterSeconds: number) => new Failure('RATE_LIMITED', { status: 429, retryAfterSeconds });
  it.each([
    [1, 2000],
    [45, 45_000],
    [60, 60_000],
    [61, 'stop'],
  ])('of %d s is called again after %s ms', (seconds, wait) => {
    expect([retryPart(limited(seconds), 1), retryCall(limited(seconds), 1)]).toEqual([wait, wait]);
  });
});

describe('withRetries', () => {
  const portsOf = (clock: FakeClock) => ({
    clock,
    network: createFakeNetwork(
      clock,
      createFakeServer(clock, 1, () => undefined),
    ),
  });
  const signal = new AbortController().signal;

  it('returns the result of the first successful attempt, after the waits before it', async () => {
    const clock = createFakeClock();
    const result = withRetries(portsOf(clock), retryPart, signal, async (attempt) => {
      if (attempt < 3) throw failure('NETWORK');
      return `try ${attempt}`;
    });
    expect(await result).toBe('try 3');
    expect(clock.nowMs()).toBe(6000);
  });

  it.each([0, 0.25, 0.5, 0.999_999])('waits up to half as long again, never shorter: chance %d', async (chance) => {
    const clock = createFakeClock(() => chance);
    const waits = [2000, 4000, 8000];
    const begins: number[] = [];
    const run = withRetries(portsOf(clock), retryCall, signal, async () => {
      begins.push(clock.nowMs());
      throw failure('RATE_LIMITED', 429);
    });
    await expect(run).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (const [index, wait] of waits.entries()) {
      const waited = (begins[index + 1] ?? 0) - (begins[index] ?? 0);
      expect(waited).toBeGreaterThanOrEqual(wait);
      expect(waited).toBeLessThan(1.5 * wait);
    }
  });

  it('does not let two clients return at the same time, even if the server has said how long to wait', async () => {
    const busy = new Failure('SERVICE_UNAVAILABLE', { status: 503, retryAfterSeconds: 30 });
    const returnsAt = async (chance: number) => {
      const clock = createFakeClock(() => chance);
      await withRetries(portsOf(clock), retryCall, signal, async (attempt) => {
        if (attempt === 1) throw busy;
      });
      return clock.nowMs();
    };
    expect([await returnsAt(0.1), await returnsAt(0.6)]).toEqual([31_500, 39_000]);
  });

  it('throws the last failure when the retries are used up', async () => {
    const run = withRetries(portsOf(createFakeClock()), retryPart, signal, async (attempt) => {
      throw failure('STORAGE_ERROR', 500 + attempt);
    });
    await expect(run).rejects.toMatchObject({ code: 'STORAGE_ERROR', details: { status: 504 } });
  });

  it('ends a wait at once when it is cancelled', async () => {
    const clock = createFakeClock();
    const abort = new AbortController();
    const run = withRetries(portsOf(clock), retryPart, abort.signal, async () => {
      queueMicrotask(() => queueMicrotask(() => abort.abort()));
      throw failure('NETWORK');
    });
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(clock.nowMs()).toBe(0);
  });

  it('treats an abort by the browser as a broken connection', async () => {
    const result = withRetries(portsOf(createFakeClock()), retryPart, signal, async (attempt) => {
      if (attempt === 1) throw failure('CANCELLED');
      return attempt;
    });
    expect(await result).toBe(2);
  });

  it('throws CANCELLED whatever a cancelled attempt throws, and starts no further attempt', async () => {
    const abort = new AbortController();
    let tries = 0;
    const run = () =>
      withRetries(portsOf(createFakeClock()), retryPart, abort.signal, async () => {
        tries += 1;
        abort.abort();
        throw new TypeError('fetch failed');
      });
    await expect(run()).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(run()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(tries).toBe(1);
  });
});
