// Limits that keep one client from taking the place of others: sizes, the time of a body, and calls per hour.
// `open-requests.ts` limits what is open at the same time.
import { maxHeaderSize } from 'node:http';
import { callbackify } from 'node:util';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { SharedRecords } from '../ports/metadata-store.ts';
import { type Context, utcDay } from '../services/context.ts';
import { type Network, networksOf } from './client.ts';
import { cutOff } from './transport.ts';

/** RFC 9110 recommends 8,000 at least. Less than Node's limit, so that a long address gets an error of its own, not the one of large headers. */
const MAX_URL_LENGTH = 8192;

/** Limits the address and the headers of a request. Node limits both together, and for HTTP/1.1 only. */
export function limitRequestSize(app: FastifyInstance): void {
  app.addHook('onRequest', ({ originalUrl, raw }, _reply, done) => {
    if (originalUrl.length > MAX_URL_LENGTH) done(new Failure('URI_TOO_LONG'));
    else if (raw.httpVersionMajor > 1 && lengthOf(raw.rawHeaders) > maxHeaderSize)
      done(new Failure('HEADERS_TOO_LARGE'));
    else done();
  });
}

const lengthOf = (headers: string[]) => headers.reduce((sum, text) => sum + text.length, 0);

const BODY_TIMEOUT_MS = 20_000;

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined;
  }
}

/**
 * Limits how long the JSON body of a call may take. It has 256 KB at most, so an honest client needs only moments.
 * Applies to all routes of `app`.
 */
export function limitBodyTime(app: FastifyInstance): void {
  app.decorateRequest('bodyTimer', undefined);
  app.addHook('preParsing', (request, _reply, body, done) => {
    if (request.method !== 'GET') {
      request.bodyTimer = setTimeout(() => {
        if (!request.raw.complete) cutOff(request.raw);
      }, BODY_TIMEOUT_MS);
    }
    done(null, body);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    clearTimeout(request.bodyTimer);
    done();
  });
}

export type Purpose = 'read' | 'token' | 'upload' | 'part' | 'download' | 'delete' | 'contact' | 'report';
/** Cheap and frequent calls: each server counts its own, because counting them in the database would cost more. */
const COUNTED_IN_MEMORY = new Set<Purpose>(['read', 'part']);
/** What the operator has to read. All clients together may send so many times the limit of one address. */
const MESSAGES = new Set<Purpose>(['contact', 'report']);
const EVERYONE: Network = { name: 'everyone', factor: 10 };
/** Per hour; 0 is no limit. */
export type RateLimits = Record<Purpose, number>;

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
    /** For calls that have no request of their own, by the kind of call. */
    rateLimiters: Map<string, ReturnType<FastifyInstance['createRateLimit']>>;
  }
}

type Counting = Pick<Context, 'clock' | 'hashAddress'>;

/** Limits how often one client address may make a call. Each kind of call has its own counter. */
export async function limitRates(
  app: FastifyInstance,
  limits: RateLimits,
  counting: Counting,
  countHit: SharedRecords['countHit'] | undefined,
): Promise<void> {
  app.decorate('rateLimits', limits);
  app.decorate('rateLimiters', new Map());
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
  const limiter = app.rateLimiters.get(kind) ?? app.createRateLimit(optionsFor(app, kind, purpose));
  app.rateLimiters.set(kind, limiter);
  const result = await limiter(request);
  if (!result.isAllowed && result.isExceeded) throw tooMany(result.ttl);
}

/** Limits how many requests of all kinds one client address may send in an hour. 0 is no limit. */
export function limitRequests(app: FastifyInstance, maxPerHour: number, clock: Counting['clock']): void {
  if (maxPerHour === 0) return;
  const counts = new HourlyCounts(clock);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config?.isHealthCheck) return done();
    const { current, ttl } = counts.countNetworks(networksOf(request.ip));
    done(current > maxPerHour ? tooMany(ttl) : undefined);
  });
}

function optionsFor(app: FastifyInstance, kind: string, purpose: Purpose) {
  const keyGenerator = ({ ip }: FastifyRequest) => ip;
  return { max: app.rateLimits[purpose], timeWindow: HOUR_MS, keyGenerator, kind, purpose };
}

export const tooMany = (waitMs: number) => new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

type Incremented = Parameters<FastifyRateLimitStore['incr']>[1];

/**
 * With `countHit`, counts in the database for all servers together. There the address is stored only as a keyed hash that
 * changes every day. Each server counts larger networks for itself.
 */
function storeFor(
  { clock, hashAddress }: Counting,
  countHit: SharedRecords['countHit'] | undefined,
): FastifyRateLimitStoreCtor {
  const countsByKind = new Map<string, HourlyCounts>();
  const countShared =
    countHit &&
    callbackify(async (key: string) => {
      const nowMs = clock.nowMs();
      const day = utcDay(nowMs);
      const { hits, endsAtMs } = await countHit(hashAddress(key, day), nowMs, HOUR_MS);
      return { current: hits, ttl: endsAtMs - nowMs };
    });
  return class Store implements FastifyRateLimitStore {
    readonly #kind: string;
    readonly #purpose: Purpose;
    readonly #counts: HourlyCounts;

    // The types of the plugin hide what it really passes: the options of the limit.
    constructor(options: object) {
      const { kind = '', purpose = 'read' } = options as { kind?: string; purpose?: Purpose };
      this.#kind = kind;
      this.#purpose = purpose;
      this.#counts = countsByKind.get(kind) ?? new HourlyCounts(clock);
      countsByKind.set(kind, this.#counts);
    }

    incr(address: string, callback: Incremented): void {
      const networks = networksOf(address);
      const all = MESSAGES.has(this.#purpose) ? [...networks, EVERYONE] : networks;
      const own = networks[0]?.name ?? '';
      if (!countShared || COUNTED_IN_MEMORY.has(this.#purpose)) callback(null, this.#counts.countNetworks(all));
      else {
        const larger = this.#counts.countNetworks(all.slice(1));
        countShared(own + this.#kind, (error, shared) => callback(error, error ? undefined : worse(shared, larger)));
      }
    }

    child(options: object): FastifyRateLimitStore {
      return new Store(options);
    }
  };
}

interface Count {
  /** How often one address would have had to call for this. */
  current: number;
  /** When the count begins again, in ms. */
  ttl: number;
}

const HOUR_MS = 3_600_000;
/** Above this number of names the least recently used one is dropped. */
const MAX_COUNTED = 20_000;

/** Counts events by name. Each name starts again an hour after its first event. */
export class HourlyCounts {
  readonly #clock: Counting['clock'];
  readonly #windows = new Map<string, { hits: number; endsAtMs: number }>();

  constructor(clock: Counting['clock']) {
    this.#clock = clock;
  }

  count(name: string, by = 1): Count {
    const nowMs = this.#clock.nowMs();
    const known = this.#windows.get(name);
    const window = known && known.endsAtMs > nowMs ? known : { hits: 0, endsAtMs: nowMs + HOUR_MS };
    window.hits += by;
    // A map keeps the order of insertion, so the first name is the one that was used least recently.
    this.#windows.delete(name);
    this.#windows.set(name, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_COUNTED && oldest !== undefined) this.#windows.delete(oldest);
    return { current: window.hits, ttl: window.endsAtMs - nowMs };
  }

  /** Returns the count of the network that is nearest to its limit. */
  countNetworks(networks: readonly Network[], by = 1): Count {
    let nearest: Count = { current: 0, ttl: 0 };
    for (const { name, factor } of networks) {
      const { current, ttl } = this.count(name, by);
      nearest = worse(nearest, { current: Math.ceil(current / factor), ttl });
    }
    return nearest;
  }
}

const worse = (one: Count, other: Count) => (other.current > one.current ? other : one);
