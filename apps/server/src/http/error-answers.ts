// Every error leaves in one envelope, in the reader's language, and says nothing about our insides.
import { API_ERROR_STATUS, type ApiErrorCode, Failure, isApiErrorCode } from '@furoshiki/core';
import { preferredLanguage } from '@furoshiki/locales';
import { messages } from '@furoshiki/locales/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const CODE_OF_FRAMEWORK_ERROR: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
};

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const code = apiCodeOf(error);
    if (code === 'INTERNAL') request.log.error({ err: error }, 'a request failed');
    const retryAfter = error instanceof Failure ? error.details.retryAfterSeconds : undefined;
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return sendError(request, reply, code);
  });
}

export function sendError(request: FastifyRequest, reply: FastifyReply, code: ApiErrorCode): FastifyReply {
  const text = messages[preferredLanguage(request.headers['accept-language'])].apiErrors[code];
  return reply
    .status(API_ERROR_STATUS[code])
    .header('cache-control', 'no-store')
    .send({ errorCode: code, error: text, message: text });
}

function apiCodeOf(error: unknown): ApiErrorCode {
  if (error instanceof Failure) return isApiErrorCode(error.code) ? error.code : 'INTERNAL';
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : CODE_OF_FRAMEWORK_ERROR[code];
  // What the framework itself refuses with a 4xx is a malformed request: broken JSON, a bad URL.
  return known ?? (statusCode !== undefined && statusCode < 500 ? 'VALIDATION_FAILED' : 'INTERNAL');
}
