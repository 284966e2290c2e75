// Limits how often one client address may make a call. Each kind of call has its own counter.
import { callbackify } from 'node:util';
import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SharedRecords } from '../ports/metadata-store.ts';
import { type Context, utcDay } from '../services/context.ts';
import { addressOf } from './client.ts';

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

/** Addresses counted per kind of call. Above this number the least recently used one is dropped. */
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
    store: storeFor(counting, countHit),
    // Only a refused client learns about the limit, through retry-after.
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
  });
}

/** `kind` names the call. Its purpose has the limit. */
export function rateLimitFor(app: FastifyInstance, kind: string, purpose: Purpose) {
  return app.rateLimits[purpose] === 0 ? {} : { rateLimit: optionsFor(app, kind, purpose) };
}

/** Counts a call that has no request of its own. Throws RATE_LIMITED. */
export async function countCall(request: FastifyRequest, kind: string, purpose: Purpose): Promise<void> {
  const app = request.server;
  if (app.rateLimits[purpose] === 0) return;
  const result = await app.createRateLimit(optionsFor(app, kind, purpose))(request);
  if (!result.isAllowed && result.isExceeded) throw tooMany(result.ttl);
}

function optionsFor(app: FastifyInstance, kind: string, purpose: Purpose) {
  const keyGenerator = (request: FastifyRequest) => addressOf(request) + kind;
  return { max: app.rateLimits[purpose], timeWindow: '1 hour', keyGenerator, kind, purpose };
}

const tooMany = (waitMs: number) => new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

/**
 * With `countHit`, counts in the database for all servers together. There the address is stored only as a keyed hash that
 * changes every day.
 */
function storeFor(
  { clock, hashAddress }: Counting,
  countHit: SharedRecords['countHit'] | undefined,
): FastifyRateLimitStoreCtor {
  const inMemory = new Map<string, MemoryStore>();
  const countShared =
    countHit &&
    callbackify(async (key: string, windowMs: number) => {
      const nowMs = clock.nowMs();
      const day = utcDay(nowMs);
      const { hits, endsAtMs } = await countHit(hashAddress(key, day), nowMs, windowMs);
      return { current: hits, ttl: endsAtMs - nowMs };
    });
  return class Store implements FastifyRateLimitStore {
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
      countShared?.(key, windowMs, callback);
    }

    // Its types hide what the plugin really passes: the options of the limit.
    child(options: object): FastifyRateLimitStore {
      const { kind = '', purpose = '' } = options as { kind?: string; purpose?: string };
      if (countShared && !COUNTED_IN_MEMORY.has(purpose)) return this;
      const store = inMemory.get(kind) ?? new MemoryStore(clock);
      inMemory.set(kind, store);
      return store;
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
