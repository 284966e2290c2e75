// Error responses: one JSON shape or a page, in the reader's language, without internal details.
import { API_ERROR_STATUS, type ApiErrorCode, Failure, isApiErrorCode } from '@furoshiki/api';
import { type Language, preferredLanguage } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '@furoshiki/site';

const CODE_OF_FRAMEWORK_ERROR: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
};

/** HTTP requires a 401 to name a scheme. Browsers ask for a password only for schemes that they know. */
const SCHEMES: Partial<Record<ApiErrorCode, string>> = {
  KEY_PROOF_REQUIRED: 'Furoshiki-Key',
  SIGN_IN_REQUIRED: 'Furoshiki-Sign-In',
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts an error response. */
    countRefusal: (code: ApiErrorCode) => void;
  }
}

export function setErrorResponses(
  app: FastifyInstance,
  countRefusal: FastifyInstance['countRefusal'] = () => undefined,
): void {
  app.decorate('countRefusal', countRefusal);
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
  request.server.countRefusal(code);
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
  reply.server.countRefusal(code);
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

/**
 * The error page of people who follow a link or type an address. It loads nothing, so that it also works for a bad
 * host. The policies in site/policy.ts contain its SHA-256.
 */
export const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.6}
body{margin:0;background:light-dark(#f6f2e8,#171513);color:light-dark(#25211b,#efe8dc);overflow-wrap:break-word}
main{max-width:36rem;margin:0 auto;padding:4rem 1.5rem}
h1{margin:0 0 1.5rem;font-size:1.625rem;line-height:1.3;text-wrap:balance}
p{margin:0;color:light-dark(#5e564a,#b6ab9b)}
a{display:inline-block;padding:.6rem 0;color:light-dark(#264b7f,#9dbdec);text-underline-offset:.2em}
:lang(ja){word-break:auto-phrase}
:lang(ko){word-break:keep-all}`;

/** The same URL is a page for people and JSON for programs. */
export const ERROR_VARY = 'accept, accept-language';

/** Browsers name HTML when they navigate. Programs, and the scripts of our pages, accept anything or name JSON. */
export function prefersPage(accept = ''): boolean {
  return weightOf(accept, 'text/html') > weightOf(accept, 'application/json');
}

/** By hand: negotiator counts wildcards, which programs send, and does not find a type that has parameters. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}

export function errorPage(code: ApiErrorCode, language: Language, basePath: string): string {
  const { apiErrors, download } = messages[language];
  const text = escapeHtml(apiErrors[code]);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text} – Furoshiki</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p>${API_ERROR_STATUS[code]}</p>
<h1>${text}</h1>
<a href="${escapeHtml(basePath)}/">${escapeHtml(download.back)}</a>
</main>
</body>
</html>
`;
}
