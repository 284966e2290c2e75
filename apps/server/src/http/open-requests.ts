// Limits what clients hold open at the same time, on all routes: connections, requests, and responses that they do not read.
// Per client address, per larger network of IPv6 addresses, and for all clients together.
import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowedMs } from '../minimum-speed.ts';
import { type Network, networksOf } from './client.ts';
import { cutOff } from './transport.ts';

/** 0 is no limit. */
export interface OpenLimits {
  perAddress: number;
  /** Of all clients together. */
  total: number;
}

/** Counts what each network holds open. */
class OpenCounts {
  readonly #perAddress: number;
  readonly #total: number;
  readonly #openByNetwork = new Map<string, number>();
  #open = 0;

  constructor({ perAddress, total }: OpenLimits) {
    this.#perAddress = perAddress || Number.POSITIVE_INFINITY;
    this.#total = total || Number.POSITIVE_INFINITY;
  }

  /** Returns whose limit is reached. Undefined: there is room for one more. */
  findFull(networks: readonly Network[]): 'address' | 'network' | 'total' | undefined {
    for (const { name, factor } of networks)
      if (this.#openOf(name) >= this.#perAddress * factor) return factor === 1 ? 'address' : 'network';
    // An address gets half of what is left, so that a few addresses cannot take the places of all others.
    return this.#openOf(networks[0]?.name) >= (this.#total - this.#open) / 2 ? 'total' : undefined;
  }

  change(networks: readonly Network[], by: 1 | -1): void {
    this.#open += by;
    for (const { name } of networks) {
      const open = this.#openOf(name) + by;
      if (open > 0) this.#openByNetwork.set(name, open);
      else this.#openByNetwork.delete(name);
    }
  }

  #openOf(name = ''): number {
    return this.#openByNetwork.get(name) ?? 0;
  }
}

/** A session of HTTP/2 takes more memory than a connection of HTTP/1.1, and a browser needs only one. */
const SESSION_SHARE = 1 / 2;

/**
 * Limits how many connections are open. `isProxy`: its connections carry the requests of many clients, so they are not
 * limited.
 */
export function limitConnections(server: Server, limits: OpenLimits, isProxy: (address: string) => boolean): void {
  const open = new OpenCounts(limits);
  const sessions = new OpenCounts({ perAddress: Math.ceil(limits.perAddress * SESSION_SHARE), total: limits.total });
  // First of all listeners, so that a refused connection costs no parser and no TLS handshake.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy(remoteAddress)) return;
    const networks = networksOf(remoteAddress);
    if (open.findFull(networks)) {
      socket.destroy();
      return;
    }
    open.change(networks, 1);
    socket.once('close', () => open.change(networks, -1));
  });
  // Only a server with TLS of its own has them.
  server.prependListener('session', (session: ServerHttp2Session) => {
    const { remoteAddress = '' } = session.socket;
    if (isProxy(remoteAddress)) return;
    const networks = networksOf(remoteAddress);
    if (sessions.findFull(networks)) {
      session.destroy();
      return;
    }
    sessions.change(networks, 1);
    session.once('close', () => sessions.change(networks, -1));
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response may have megabytes and is made in memory, so fewer of them are made at once. */
    isLarge?: boolean;
    /** Says whether the server runs, so it responds also if the server is busy. */
    isHealthCheck?: boolean;
  }
  interface FastifyRequest {
    /** Null: the response is closed. */
    readingTimer: NodeJS.Timeout | undefined | null;
  }
  interface FastifyInstance {
    /** For a response that no hook precedes. */
    limitOpenRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void;
  }
}

/** Less than the 30 s after which a client gives up a request without progress. */
const MAX_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;
/** Large responses have 3 MB at most. */
const LARGE_SHARE = { perAddress: 1 / 16, total: 1 / 32 };
/** Calls and transfers that run and that wait are four times the limit. What is refused beyond that gets no response. */
const HELD_SHARE = 4;

interface Group {
  running: OpenCounts;
  /** By address, in the order of arrival. Calling one starts its request. */
  waiting: Map<string, Set<() => boolean>>;
}

/**
 * Limits how many requests run at the same time: calls and pages, transfers of stored bytes, and large responses, each. Further
 * requests of an address wait, so that people who share it are slowed down and not refused. As many may wait as may run; further
 * ones get 429. If there are too many of all clients, they get 503. A client that does not read a response is cut off. Must be
 * called before the first route is added. `watch` gets a function that counts the waiting requests.
 */
export function limitOpenRequests(
  app: FastifyInstance,
  limits: OpenLimits,
  watch?: (length: () => number) => void,
): void {
  const groupFor = (own: OpenLimits): Group => ({ running: new OpenCounts(own), waiting: new Map() });
  const calls = groupFor(limits);
  const transfers = groupFor(limits);
  const large = groupFor({
    perAddress: Math.ceil(limits.perAddress * LARGE_SHARE.perAddress),
    total: Math.ceil(limits.total * LARGE_SHARE.total),
  });
  const healthChecks = groupFor({ perAddress: 0, total: 0 });
  // A refused response counts as well: over HTTP/2 it stays open until its client reads it.
  const held = new OpenCounts({ perAddress: limits.perAddress * HELD_SHARE, total: limits.total * HELD_SHARE });
  const maxWaiting = limits.perAddress || Number.POSITIVE_INFINITY;
  const groups = [calls, transfers, large];
  watch?.(() => groups.flatMap(({ waiting }) => [...waiting.values()]).reduce((sum, { size }) => sum + size, 0));

  function groupOf({ routeOptions }: FastifyRequest): Group {
    const { transfers: isTransfer, isLarge, isHealthCheck } = routeOptions.config ?? {};
    if (isTransfer) return transfers;
    if (isHealthCheck) return healthChecks;
    return isLarge ? large : calls;
  }

  app.decorate('limitOpenRequest', (request, reply, done) => {
    const networks = networksOf(request.ip);
    if (held.findFull(networks)) {
      cutOff(reply.hijack().raw);
      return;
    }
    const address = networks[0]?.name ?? '';
    const { running, waiting } = groupOf(request);
    let isRunning = false;
    let timer: NodeJS.Timeout | undefined;
    /** Returns false if the client has gone: a session that ends closes its streams one after the other. */
    function start(): boolean {
      leave();
      if (hasGone(reply)) return false;
      running.change(networks, 1);
      isRunning = true;
      done();
      return true;
    }
    function leave(): void {
      clearTimeout(timer);
      const queue = waiting.get(address);
      queue?.delete(start);
      if (queue?.size === 0) waiting.delete(address);
    }
    function refuse(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE'): void {
      leave();
      done(new Failure(code, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    held.change(networks, 1);
    reply.raw.once('close', () => {
      clearTimeout(request.readingTimer ?? undefined);
      request.readingTimer = null;
      held.change(networks, -1);
      leave();
      if (!isRunning) return;
      running.change(networks, -1);
      // The same networks have now room for one more.
      for (const next of waiting.get(address) ?? []) if (next()) break;
    });
    const queue = waiting.get(address) ?? new Set();
    const full = running.findFull(networks);
    if (full === undefined) start();
    else if (full === 'total') refuse('SERVICE_UNAVAILABLE');
    else if (full === 'network' || queue.size >= maxWaiting) refuse('RATE_LIMITED');
    else {
      queue.add(start);
      waiting.set(address, queue);
      timer = setTimeout(refuse, MAX_WAIT_MS, 'RATE_LIMITED');
    }
  });
  app.decorateRequest('readingTimer', undefined);
  app.addHook('onRequest', (request, reply, done) => app.limitOpenRequest(request, reply, done));
  // Stored bytes are sent without this hook, and have a limit for each block.
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = reply.getHeader('content-length') ?? (payload as { length?: number } | null)?.length;
    limitReadingTime(request, reply, Number(length ?? 0));
    done(null, payload);
  });
}

function hasGone({ raw }: FastifyReply): boolean {
  // A response of HTTP/2 does not know it.
  const { stream } = raw as { stream?: { destroyed: boolean } };
  return stream?.destroyed ?? raw.destroyed;
}

/** Cuts off a client that does not read a response of so many bytes in time. */
export function limitReadingTime(request: FastifyRequest, { raw }: FastifyReply, bytes: number): void {
  if (request.readingTimer === null) return;
  clearTimeout(request.readingTimer);
  request.readingTimer = setTimeout(cutOff, allowedMs(bytes), raw);
}
