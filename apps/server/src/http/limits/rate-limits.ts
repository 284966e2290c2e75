// Limits how often one client address may make a call. Each purpose has its own counter.
import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import { Failure } from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';
import { callbackify } from 'node:util';
import type { SharedRecords } from '../../ports/metadata-store.ts';
import type { Context } from '../../services/context.ts';
import { utcDay } from '../../services/utc-day.ts';

export type Purpose = 'read' | 'token' | 'upload' | 'part' | 'download' | 'delete' | 'contact' | 'report';
/** Cheap and frequent calls: each server counts its own, because counting them in the database would cost more. */
const COUNTED_IN_MEMORY = new Set(['read', 'part']);
/** Per hour; 0 is no limit. */
export type RateLimits = Record<Purpose, number>;

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
  }
}

/** Addresses counted per purpose. Above this number the least recently used one is dropped. */
const CACHED_ADDRESSES = 20_000;

type Counting = Pick<Context, 'clock' | 'hashAddress'>;

export async function limitRates(
  app: FastifyInstance,
  limits: RateLimits,
  counting: Counting,
  countHit: SharedRecords['countHit'] | undefined,
): Promise<void> {
  app.decorate('rateLimits', limits);
  await app.register(rateLimit, {
    global: false,
    cache: CACHED_ADDRESSES,
    ...(countHit ? { store: sharedStore(counting, countHit) } : {}),
    // Only a refused client learns about the limit, through retry-after.
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(ttl / 1000) }),
  });
}

export function rateLimitFor(app: FastifyInstance, purpose: Purpose) {
  if (app.rateLimits[purpose] === 0) return {};
  return { rateLimit: { max: app.rateLimits[purpose], timeWindow: '1 hour', groupId: purpose } };
}

/** Counts in the database, for all servers together. The address is stored only as a keyed hash that changes every day. */
function sharedStore({ clock, hashAddress }: Counting, countHit: SharedRecords['countHit']): FastifyRateLimitStoreCtor {
  const count = callbackify(async (key: string, windowMs: number) => {
    const nowMs = clock.nowMs();
    const day = utcDay(nowMs);
    const { hits, endsAtMs } = await countHit(hashAddress(key, day), nowMs, windowMs);
    return { current: hits, ttl: endsAtMs - nowMs };
  });
  return class SharedStore implements FastifyRateLimitStore {
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
      count(key, windowMs, callback);
    }

    // Its types hide what the plugin really passes: the options of the route's limit.
    child(options: object): FastifyRateLimitStore {
      const { groupId = '' } = options as { groupId?: string };
      // The key already contains the purpose.
      return COUNTED_IN_MEMORY.has(groupId) ? new MemoryStore(clock) : this;
    }
  };
}

class MemoryStore implements FastifyRateLimitStore {
  readonly #clock: Counting['clock'];
  readonly #windows = new Map<string, { hits: number; endsAtMs: number }>();

  constructor(clock: Counting['clock']) {
    this.#clock = clock;
  }

  incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
    const nowMs = this.#clock.nowMs();
    const known = this.#windows.get(key);
    const window = known && known.endsAtMs > nowMs ? known : { hits: 0, endsAtMs: nowMs + windowMs };
    window.hits += 1;
    // A map keeps the order of insertion, so the first key is the one that was used least recently.
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > CACHED_ADDRESSES && oldest !== undefined) this.#windows.delete(oldest);
    callback(null, { current: window.hits, ttl: window.endsAtMs - nowMs });
  }

  child(): FastifyRateLimitStore {
    return this;
  }
}
