// Limits that keep one client from taking the place of others: connections, open requests, sizes, and the time of a body.
import type { Server, Socket } from 'node:net';
import { maxHeaderSize } from 'node:http';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance } from 'fastify';
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
