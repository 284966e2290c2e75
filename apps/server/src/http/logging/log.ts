// The server's log: JSON lines on stderr that hold no address, id, name or token, at whatever level.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { routeOf } from './observe-requests.ts';

export type LogLevel = Config['LOG_LEVEL'];

/** Whether there is a line for each request. */
export const logsRequests = (level: LogLevel) => ['info', 'debug', 'trace'].includes(level);

export function logOptions(level: LogLevel) {
  return {
    level,
    stream: process.stderr,
    serializers: {
      err: describeError,

      // The framework's own would tell the raw URL and the client's address.
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

/** Where errors of the system keep what they were about: paths hold ids, and addresses are somebody's. */
const TELLTALE = ['path', 'dest', 'address', 'host', 'hostname', 'input'] as const;

/** An error with its stack and its causes, and nothing else that somebody may have hung on it. */
export function describeError(error: unknown): ErrorDescription {
  // What is no error may hold anything.
  if (!(error instanceof Error)) return { type: typeof error, message: 'something was thrown', stack: '' };
  const details = error as Error & Record<string, unknown>;
  const telltales = TELLTALE.map((name) => details[name]).filter((value) => typeof value === 'string' && value !== '');
  const without = (text: string) =>
    telltales.reduce<string>((rest, value) => rest.replaceAll(String(value), '…'), text);
  return {
    type: error.name,
    message: without(error.message),
    stack: without(error.stack ?? ''),
    ...(details['code'] === undefined ? {} : { code: details['code'] }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
