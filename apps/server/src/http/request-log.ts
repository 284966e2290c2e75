// The log of the server: JSON lines on stderr that contain no address, id, name or token, at any level. And what the log and
// the metrics learn about each request.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Config } from '../config/config.ts';

export type LogLevel = Config['LOG_LEVEL'];

/** Whether the level logs a line for each request. */
export const logsRequests = (level: LogLevel) => ['info', 'debug', 'trace'].includes(level);

export function logOptions(level: LogLevel) {
  return {
    level,
    stream: process.stderr,
    serializers: {
      err: describeError,

      // Fastify's defaults would log the raw URL and the client's address.
      req: (request: FastifyRequest) => ({ method: request.method, route: routeOf(request) }),
      res: ({ statusCode = 0 }: { statusCode?: number }) => ({ statusCode }),
    },
  };
}

type ErrorDescription = {
  type: string;
  message: string;
  stack: string;
  code?: unknown;
  cause?: ErrorDescription;
};

/** Fields of system errors with private values: paths contain ids, and addresses belong to people. */
const PRIVATE_FIELDS = ['path', 'dest', 'address', 'host', 'hostname', 'input'] as const;

/** Returns an error's stack and causes, and no other fields that a library may have added. */
export function describeError(error: unknown): ErrorDescription {
  // A thrown value that is not an Error may contain anything.
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an Error was thrown', stack: '' };
  const details = error as Error & Record<string, unknown>;
  const privateValues = PRIVATE_FIELDS.map((name) => details[name]).filter(
    (value) => typeof value === 'string' && value !== '',
  );
  const redacted = (text: string) =>
    privateValues.reduce<string>((rest, value) => rest.replaceAll(String(value), '…'), text);
  return {
    type: error.name,
    message: redacted(error.message),
    stack: redacted(error.stack ?? ''),
    ...(details['code'] === undefined ? {} : { code: details['code'] }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which way this route moves stored bytes. */
    transfers?: 'in' | 'out';
    /** Set by @fastify/static. */
    file?: string;
  }
}

interface RequestFacts {
  method: string;
  /** The route's template, never the requested path. */
  route: string;
  transfers: 'in' | 'out' | undefined;
}

export interface ResponseFacts extends RequestFacts {
  status: number;
  /** The connection closed before the whole response was sent. */
  isCut: boolean;
  milliseconds: number;
}

export interface RequestObserver {
  begin(request: RequestFacts): void;
  end(response: ResponseFacts): void;
}

/** Fastify calls its log controller for every request. Hooks miss requests whose URL cannot be parsed. */
export class ObservingLogController extends LogController {
  readonly #observer: RequestObserver | undefined;
  readonly #logsRequests: boolean;

  constructor(observer: RequestObserver | undefined, logsRequests: boolean) {
    // Fastify's own request lines would contain addresses and ids.
    super({ disableRequestLogging: true });
    this.#observer = observer;
    this.#logsRequests = logsRequests;
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // By default there are neither metrics nor request lines.
    if (!this.#observer && !this.#logsRequests) return;
    const startMs = performance.now();
    const { config } = request.routeOptions;
    const facts = { method: request.method, route: routeOf(request), transfers: config?.transfers };
    this.#observer?.begin(facts);
    // Not `finish`: it is never emitted if the client disconnected.
    reply.raw.once('close', () => {
      const response = {
        ...facts,
        status: reply.raw.statusCode,
        // HTTP/2 reports a destroyed stream as finished, so we also check that we have ended it ourselves.
        isCut: !reply.raw.writableEnded || !reply.raw.writableFinished,
        milliseconds: performance.now() - startMs,
      };
      this.#observer?.end(response);
      logResponse(request, reply, response);
    });
  }
}

/** All files of the web app count as one route, and so do all URLs without a route. */
function routeOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  if (config?.file !== undefined) return 'web-app-file';
  return url ?? 'page-or-unknown';
}

function logResponse(request: FastifyRequest, reply: FastifyReply, response: ResponseFacts): void {
  const { method, route, status, isCut, milliseconds } = response;
  request.server.log.info(
    {
      method,
      route,
      status,
      ...(isCut ? { isCut } : {}),
      milliseconds: Math.round(milliseconds),
      // The announced lengths. The metrics count the bytes that were really transferred.
      bytesIn: Number(request.headers['content-length'] ?? 0),
      bytesOut: Number(reply.getHeader('content-length') ?? 0),
    },
    'request finished',
  );
}
