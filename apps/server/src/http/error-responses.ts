// Error responses: one JSON shape or a page, in the reader's language, without internal details.
import { API_ERROR_STATUS, type ApiErrorCode, Failure, isApiErrorCode } from '@furoshiki/api';
import { preferredLanguage } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_VARY, errorPage, prefersPage } from './errors/error-page.ts';

const CODE_OF_FRAMEWORK_ERROR: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
};

/** HTTP requires a 401 to name a scheme. Browsers ask for a password only for schemes that they know. */
const SCHEMES: Partial<Record<ApiErrorCode, string>> = {
  KEY_PROOF_REQUIRED: 'Furoshiki-Key',
  SIGN_IN_REQUIRED: 'Furoshiki-Sign-In',
};

export function setErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    // Only @fastify/static throws it, for a file that does not meet If-Match.
    if ((error as { statusCode?: number }).statusCode === 412) return reply.status(412).send();
    const { code, field, retryAfterSeconds } = explain(error, request);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return sendError(request, reply, code, field);
  });
}

/** The response to a call that has no request of its own. */
export function errorResponseOf(error: unknown, request: FastifyRequest) {
  const { code, field, retryAfterSeconds } = explain(error, request);
  return { status: API_ERROR_STATUS[code], retryAfterSeconds, body: bodyOf(request, code, field) };
}

function explain(error: unknown, request: FastifyRequest) {
  const code = apiCodeOf(error);
  if (code === 'INTERNAL') request.log.error({ err: error }, 'a request failed');
  if (error instanceof Failure) return { code, ...error.details };
  // What Fastify itself refuses is a body that it cannot read.
  return { code, field: code === 'VALIDATION_FAILED' ? 'body' : undefined, retryAfterSeconds: undefined };
}

/** Sends a page to a browser that navigates, and JSON to everything else. */
export function sendError(request: FastifyRequest, reply: FastifyReply, code: ApiErrorCode, field?: string) {
  if (!prefersPage(request.headers.accept)) return sendJsonError(request, reply, code, field);
  const { basePath, pageHeaders } = request.server;
  const page = errorPage(code, preferredLanguage(request.headers['accept-language']), basePath);
  // Below /api and /store every response has the policy of data.
  const policy = reply.getHeader('content-security-policy');
  return prepare(reply, code)
    .headers({ ...pageHeaders, 'content-security-policy': policy })
    .type('text/html; charset=utf-8')
    .send(page);
}

export function sendJsonError(request: FastifyRequest, reply: FastifyReply, code: ApiErrorCode, field?: string) {
  return prepare(reply, code).send(bodyOf(request, code, field));
}

function prepare(reply: FastifyReply, code: ApiErrorCode): FastifyReply {
  const scheme = SCHEMES[code];
  if (scheme !== undefined) reply.header('www-authenticate', scheme);
  return reply.status(API_ERROR_STATUS[code]).headers({ 'cache-control': 'no-store', vary: ERROR_VARY });
}

function bodyOf(request: FastifyRequest, code: ApiErrorCode, field: string | undefined) {
  const text = messages[preferredLanguage(request.headers['accept-language'])].apiErrors[code];
  return { errorCode: code, error: text, message: text, field };
}

function apiCodeOf(error: unknown): ApiErrorCode {
  if (error instanceof Failure) return isApiErrorCode(error.code) ? error.code : 'INTERNAL';
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : CODE_OF_FRAMEWORK_ERROR[code];
  // Fastify itself refuses malformed requests (broken JSON, a bad URL) with a 4xx status.
  return known ?? (statusCode !== undefined && statusCode < 500 ? 'VALIDATION_FAILED' : 'INTERNAL');
}
