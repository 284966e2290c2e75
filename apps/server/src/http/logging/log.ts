// The server's log: JSON lines on stderr that contain no address, id, name or token, at any level.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { routeOf } from './observe-requests.ts';

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
