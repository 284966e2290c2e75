// How bytes travel: plain HTTP/1.1 for a proxy or this machine, or TLS 1.3 with HTTP/2 and HTTP/1.1.
import { constants, type Http2SecureServer, type SecureServerOptions } from 'node:http2';
import type { FastifyInstance, FastifyHttpOptions } from 'fastify';
import type { TlsPair } from '../config/tls-pair.ts';

// A part may take ten minutes on a slow line; a request that takes longer is stuck.
const REQUEST_TIMEOUT_MS = 15 * 60_000;

// HTTP/2's own windows of 64 KB would hold every upload of a browser to 64 KB per round trip, all lanes together.
const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;
// Four times what a browser of ours asks for at once. Each may hold stored bytes that nobody reads.
const MAX_STREAMS = 32;
// Enough for every stream to have a block of stored bytes waiting; Node's own 10 MB would refuse streams before that.
const MAX_SESSION_MB = 64;

type Options = FastifyHttpOptions<FastifyInstance['server']>;

/** Fastify types an app by its transport. Routes do not care, so ours has one type. */
export function transportOptions(tls: TlsPair | undefined): Options {
  const shared = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Nothing went either way for so long: whoever reads an answer is gone, or means to keep it open for ever.
    connectionTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
  } satisfies Options;
  if (!tls) return shared;
  const https: SecureServerOptions = {
    ...secureContext(tls),
    allowHTTP1: true,
    maxSessionMemory: MAX_SESSION_MB,
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS },
  };
  return { ...shared, http2: true, https } as unknown as Options;
}

/** What Fastify leaves as Node has it on an HTTP/2 server. */
export function tuneTransport(app: FastifyInstance): void {
  const server = app.server as unknown as Http2SecureServer & { requestTimeout: number; keepAliveTimeout: number };
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = app.initialConfig.keepAliveTimeout ?? 0;
  server.on('session', (session) => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
  server.on('stream', (stream) => {
    stream.setTimeout(REQUEST_TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
  });
}

/** New connections get the new pair; those that stand keep theirs. */
export function renewTls(app: FastifyInstance, tls: TlsPair): void {
  (app.server as unknown as Http2SecureServer).setSecureContext(secureContext(tls));
}

const secureContext = ({ cert, key }: TlsPair) => ({ cert, key, minVersion: 'TLSv1.3' as const });
