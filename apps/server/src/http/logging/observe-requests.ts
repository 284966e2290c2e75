// Sees every request twice, when it comes and when its answer has left or was cut off: for one line of the log, and for the metrics.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which way this route moves stored bytes. */
    transfers?: 'in' | 'out';
    /** Set by @fastify/static. */
    file?: string;
  }
}

export interface RequestFacts {
  method: string;
  /** The route's template, never the path that was asked for. */
  route: string;
  transfers: 'in' | 'out' | undefined;
}

export interface AnswerFacts extends RequestFacts {
  status: number;
  /** The connection closed before the answer had left. */
  isCut: boolean;
  milliseconds: number;
}

export interface RequestObserver {
  begin(request: RequestFacts): void;
  end(answer: AnswerFacts): void;
}

/** The framework tells its log controller of every request, even of a URL that cannot be read; hooks never see those. */
export class ObservingLogController extends LogController {
  readonly #observer: RequestObserver | undefined;
  readonly #logsRequests: boolean;

  constructor(observer: RequestObserver | undefined, logsRequests: boolean) {
    // The framework's own lines about requests would carry addresses and ids.
    super({ disableRequestLogging: true });
    this.#observer = observer;
    this.#logsRequests = logsRequests;
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // By default nobody looks.
    if (!this.#observer && !this.#logsRequests) return;
    const startMs = performance.now();
    const { config } = request.routeOptions;
    const facts = { method: request.method, route: routeOf(request), transfers: config?.transfers };
    this.#observer?.begin(facts);
    // Not `finish`, which never comes where the client went away.
    reply.raw.once('close', () => {
      const answer = {
        ...facts,
        status: reply.raw.statusCode,
        // HTTP/2 calls a stream that was torn down finished: only what we ended ourselves has left whole.
        isCut: !reply.raw.writableEnded || !reply.raw.writableFinished,
        milliseconds: performance.now() - startMs,
      };
      this.#observer?.end(answer);
      logAnswer(request, reply, answer);
    });
  }
}

/** Files of the web app are one route, however many there are; so is all that no route was made for. */
export function routeOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  if (config?.file !== undefined) return 'web-app-file';
  return url ?? 'page-or-unknown';
}

function logAnswer(request: FastifyRequest, reply: FastifyReply, answer: AnswerFacts): void {
  const { method, route, status, isCut, milliseconds } = answer;
  request.server.log.info(
    {
      method,
      route,
      status,
      ...(isCut ? { isCut } : {}),
      milliseconds: Math.round(milliseconds),
      // As announced: counting what really passed is the metrics' business.
      bytesIn: Number(request.headers['content-length'] ?? 0),
      bytesOut: Number(reply.getHeader('content-length') ?? 0),
    },
    'answered',
  );
}
