// Error responses: one JSON shape, in the reader's language, without internal details.
import { API_ERROR_STATUS, type ApiErrorCode, Failure, isApiErrorCode } from '@furoshiki/core';
import { DEFAULT_LANGUAGE, preferredLanguage } from '@furoshiki/locales';
import { messages } from '@furoshiki/locales/messages';
import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const CODE_OF_FRAMEWORK_ERROR: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
};

/** HTTP requires a 401 to name a scheme. Browsers ask for a password only for schemes that they know. */
const KEY_PROOF_SCHEME = 'Furoshiki-Key';

export function setErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { code, retryAfterSeconds } = explain(error, request);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return sendError(request, reply, code);
  });
}

/** The response to a call that has no request of its own. */
export function errorResponseOf(error: unknown, request: FastifyRequest) {
  const { code, retryAfterSeconds } = explain(error, request);
  return { status: API_ERROR_STATUS[code], retryAfterSeconds, body: bodyOf(request, code) };
}

function explain(error: unknown, request: FastifyRequest) {
  const code = apiCodeOf(error);
  if (code === 'INTERNAL') request.log.error({ err: error }, 'a request failed');
  return { code, retryAfterSeconds: error instanceof Failure ? error.details.retryAfterSeconds : undefined };
}

/** For bytes that are not HTTP: there is no request object, only a socket. */
export function respondToBrokenRequest(error: ConnectionError, socket: Socket): void {
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'BODY_TOO_LARGE' : 'VALIDATION_FAILED';
  const text = messages[DEFAULT_LANGUAGE].apiErrors[code];
  const body = JSON.stringify({ errorCode: code, error: text, message: text });
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${API_ERROR_STATUS[code]} ${STATUS_CODES[API_ERROR_STATUS[code]]}\r\nconnection: close\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

export function sendError(request: FastifyRequest, reply: FastifyReply, code: ApiErrorCode): FastifyReply {
  const status = API_ERROR_STATUS[code];
  if (status === 401) reply.header('www-authenticate', KEY_PROOF_SCHEME);
  return reply.status(status).header('cache-control', 'no-store').send(bodyOf(request, code));
}

function bodyOf(request: FastifyRequest, code: ApiErrorCode) {
  const text = messages[preferredLanguage(request.headers['accept-language'])].apiErrors[code];
  return { errorCode: code, error: text, message: text };
}

function apiCodeOf(error: unknown): ApiErrorCode {
  if (error instanceof Failure) return isApiErrorCode(error.code) ? error.code : 'INTERNAL';
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : CODE_OF_FRAMEWORK_ERROR[code];
  // Fastify itself refuses malformed requests (broken JSON, a bad URL) with a 4xx status.
  return known ?? (statusCode !== undefined && statusCode < 500 ? 'VALIDATION_FAILED' : 'INTERNAL');
}
