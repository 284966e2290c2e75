// The transport: plain HTTP/1.1 behind a proxy, or TLS 1.3 with HTTP/2 and HTTP/1.1. How it listens, how it stops, and how it
// cuts off a client.
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import {
  constants,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { StartError } from '../config/config.ts';
import type { TlsPair } from '../config/settings.ts';

// A part may take ten minutes on a slow connection; a request that takes longer is stuck.
const REQUEST_TIMEOUT_MS = 15 * 60_000;

// HTTP/2's default windows would limit all lanes of a browser together to 64 KB per round trip.
const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;
// Four times what our client opens at once. Each stream may buffer stored bytes that the client does not read.
const MAX_STREAMS = 32;
// Enough for one waiting block of stored bytes per stream. With Node's default of 10 MB streams would be refused.
const MAX_SESSION_MB = 64;
/** No route has it. */
const UNSERVED_METHOD = 'TRACE';

type Options = FastifyHttpOptions<FastifyInstance['server']>;

/** Fastify has a different app type per transport. Routes do not depend on it, so we use one type. */
export function transportOptions(tls: TlsPair | undefined): Options {
  const shared = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Closes a connection without any traffic: its client is gone, or wants to keep it open for ever.
    connectionTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
  } satisfies Options;
  // Our own check refuses a request without a host, with the same error as for a bad one.
  const requireHostHeader = false;
  if (!tls) return { ...shared, http: { requireHostHeader } };
  const https: SecureServerOptions & { requireHostHeader: boolean } = {
    ...secureContext(tls),
    allowHTTP1: true,
    requireHostHeader,
    maxSessionMemory: MAX_SESSION_MB,
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS },
  };
  return { ...shared, http2: true, https } as unknown as Options;
}

/** Sets options that Fastify does not set on an HTTP/2 server. */
export function tuneTransport(app: FastifyInstance): void {
  const server = http2ServerOf(app);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = app.initialConfig.keepAliveTimeout ?? 0;
  // HTTP/2 passes on any method. For one that Node does not know, Fastify would log its whole router.
  server.prependListener('request', (request: { method: string }) => {
    if (!METHODS.includes(request.method)) request.method = UNSERVED_METHOD;
  });
  server.on('session', (session) => {
    if (!session.destroyed) session.setLocalWindowSize(SESSION_WINDOW_BYTES);
  });
  server.on('stream', (stream) => {
    stream.setTimeout(REQUEST_TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
  });
}

/** New connections use the new pair; open connections keep the old one. */
export function renewTls(app: FastifyInstance, tls: TlsPair): void {
  http2ServerOf(app).setSecureContext(secureContext(tls));
}

/** Fastify's type of an app names an HTTP/1.1 server, and Node's type of an HTTP/2 server lacks two settings. */
const http2ServerOf = (app: FastifyInstance) =>
  app.server as unknown as Http2SecureServer & { requestTimeout: number; keepAliveTimeout: number };

const secureContext = ({ cert, key }: TlsPair) => ({ cert, key, minVersion: 'TLSv1.3' as const });

/** Turns a failed listen into a start error that names the variables to change. */
export function listenErrorFor(prefix: '' | 'METRICS_', host: string, port: number) {
  return (cause: NodeJS.ErrnoException): never => {
    if (cause.code === 'EADDRINUSE') throw new StartError(`${prefix}PORT ${port} on ${host} is in use`, { cause });
    const where = `${prefix}HOST ${host}, ${prefix}PORT ${port}`;
    throw new StartError(`cannot listen on ${where} (${cause.code ?? 'unknown'})`, { cause });
  };
}

/**
 * Ends a request or a response half-way, so that its client cannot take it for complete. Closes one stream of an HTTP/2
 * session, or an HTTP/1.1 connection.
 */
export function cutOff(raw: IncomingMessage | ServerResponse | Http2ServerRequest | Http2ServerResponse): void {
  // Without a code, the stream would end as if nothing had gone wrong.
  if ('stream' in raw) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else raw.destroy();
}

const CHECK_EVERY_MS = 100;

interface DrainTimes {
  /**
   * How long the server still accepts connections after `GET /readyz` has begun to return 503, so that proxies notice it. A
   * connection that waits to be accepted when the port closes is reset, and a proxy cannot always hide that.
   */
  announceMs: number;
  /** When requests that are still running are cut off. */
  limitMs: number;
}

/** Must be called before the app listens. Returns a function that closes the app within `limitMs`. */
export function createDrain(app: FastifyInstance, { announceMs, limitMs }: DrainTimes): () => Promise<void> {
  // An HTTP/2 server has no method that closes all connections, so we keep a list of them.
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const leaveConnections = createLeaving(app);
  return async () => {
    const cutOff = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limitMs);
    leaveConnections();
    if (announceMs > 0) await new Promise((resolve) => setTimeout(resolve, announceMs));
    // An HTTP/1.1 connection that was busy at the signal may stay open after its response, so idle connections are closed
    // repeatedly. An HTTP/2 session receives GOAWAY, which makes it safe to send a refused request again, and ends with
    // its last stream.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), CHECK_EVERY_MS);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  };
}

/**
 * Returns a function after whose call each HTTP/1.1 response is the last one of its connection. A connection that its client
 * leaves is never reset under the next request, unlike one that we close.
 */
function createLeaving(app: FastifyInstance): () => void {
  const responses = new Set<ServerResponse>();
  let isLeaving = false;
  app.server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor > 1) return;
    if (isLeaving) response.setHeader('connection', 'close');
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  return () => {
    isLeaving = true;
    for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
  };
}
