// Limits that keep one client from taking the place of others: connections, open requests, sizes, the time of a body, and calls
// per hour.
import type { Server, Socket } from 'node:net';
import { maxHeaderSize } from 'node:http';
import { callbackify } from 'node:util';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { SharedRecords } from '../ports/metadata-store.ts';
import { type Context, utcDay } from '../services/context.ts';
import { addressOf, countedAddress } from './client.ts';
import { cutOff } from './transport.ts';

/**
 * Limits how many connections one client address may hold open. `isProxy`: its connections carry the requests of many
 * clients, so they are not limited.
 */
export function limitConnections(server: Server, maxPerAddress: number, isProxy: (address: string) => boolean): void {
  if (maxPerAddress === 0) return;
  const openByAddress = new Map<string, number>();
  // First of all listeners, so that a refused connection costs no parser and no TLS handshake.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy(remoteAddress)) return;
    const address = countedAddress(remoteAddress);
    const open = openByAddress.get(address) ?? 0;
    if (open >= maxPerAddress) {
      socket.destroy();
      return;
    }
    openByAddress.set(address, open + 1);
    socket.once('close', () => {
      const remaining = (openByAddress.get(address) ?? 0) - 1;
      if (remaining > 0) openByAddress.set(address, remaining);
      else openByAddress.delete(address);
    });
  });
}

/** Less than the 30 s after which a client gives up a request without progress. */
const MAX_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;

interface OpenRequests {
  running: number;
  /** In the order of arrival. Calling one starts its request. */
  waiting: Set<() => void>;
}

/**
 * Limits how many requests of one client address run at the same time. Further ones wait, so that people who share an
 * address are slowed down and not refused. Applies to all routes of `app`. As many requests may wait as may run;
 * further ones are refused. 0 is no limit. `watch` gets a function that counts the waiting requests.
 */
export function limitOpenRequests(
  app: FastifyInstance,
  maxPerAddress: number,
  watch?: (length: () => number) => void,
): void {
  if (maxPerAddress === 0) return;
  const openByAddress = new Map<string, OpenRequests>();
  watch?.(() => [...openByAddress.values()].reduce((sum, { waiting }) => sum + waiting.size, 0));
  app.addHook('onRequest', (request, reply, done) => {
    const address = addressOf(request);
    const open = openByAddress.get(address) ?? { running: 0, waiting: new Set() };
    openByAddress.set(address, open);
    let isRunning = false;
    let timer: NodeJS.Timeout | undefined;
    function start(): void {
      clearTimeout(timer);
      open.waiting.delete(start);
      open.running += 1;
      isRunning = true;
      done();
    }
    function refuse(): void {
      open.waiting.delete(start);
      done(new Failure('RATE_LIMITED', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    reply.raw.once('close', () => {
      clearTimeout(timer);
      open.waiting.delete(start);
      if (!isRunning) return;
      open.running -= 1;
      const [next] = open.waiting;
      next?.();
      if (open.running === 0) openByAddress.delete(address);
    });
    if (open.running < maxPerAddress) start();
    else if (open.waiting.size >= maxPerAddress) refuse();
    else {
      open.waiting.add(start);
      timer = setTimeout(refuse, MAX_WAIT_MS);
    }
  });
}

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
const COUNTED_IN_MEMORY = new Set(['read', 'part']);
/** Per hour; 0 is no limit. */
export type RateLimits = Record<Purpose, number>;

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
    /** For calls that have no request of their own, by the kind of call. */
    rateLimiters: Map<string, ReturnType<FastifyInstance['createRateLimit']>>;
  }
}

/** Addresses counted per kind of call. Above this number the least recently used one is dropped. */
const CACHED_ADDRESSES = 20_000;

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
