// The transport: plain HTTP/1.1 behind a proxy, or TLS 1.3 with HTTP/2 and HTTP/1.1.
import { METHODS } from 'node:http';
import { constants, type Http2SecureServer, type SecureServerOptions } from 'node:http2';
import type { FastifyInstance, FastifyHttpOptions } from 'fastify';
import type { TlsPair } from '../config/tls-pair.ts';

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
  const server = app.server as unknown as Http2SecureServer & { requestTimeout: number; keepAliveTimeout: number };
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = app.initialConfig.keepAliveTimeout ?? 0;
  // HTTP/2 passes on any method. For one that Node does not know, Fastify would log its whole router.
  server.prependListener('request', (request: { method: string }) => {
    if (!METHODS.includes(request.method)) request.method = UNSERVED_METHOD;
  });
  server.on('session', (session) => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
  server.on('stream', (stream) => {
    stream.setTimeout(REQUEST_TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
  });
}

/** New connections use the new pair; open connections keep the old one. */
export function renewTls(app: FastifyInstance, tls: TlsPair): void {
  (app.server as unknown as Http2SecureServer).setSecureContext(secureContext(tls));
}

const secureContext = ({ cert, key }: TlsPair) => ({ cert, key, minVersion: 'TLSv1.3' as const });
