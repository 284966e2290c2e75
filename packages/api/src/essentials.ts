// What a client needs before its first call: the security token and error responses. Has no schemas, because the home
// screen of the web app loads it before the first paint.
import { Failure, isApiErrorCode } from './errors.ts';

export const API_PREFIX = '/api';
/** Below /api. */
export const SECURITY_TOKEN_PATH = '/csrf-token';
export const SECURITY_TOKEN_MS = 25 * 60_000;

/** The response of the call `csrfToken`. Throws API_ERROR if it does not match its schema. */
export function parseSecurityToken(status: number, json: unknown): string {
  const token = fieldsOf(json)['token'];
  if (typeof token !== 'string') throw new Failure('API_ERROR', { status });
  return token;
}

const TOKEN_REFUSED = 'Invalid or expired CSRF token';

/** Returns the failure for a response with an error status. Not strict, because any proxy may have sent it. */
export function failureOfResponse(status: number, json: unknown): Failure {
  const fields = fieldsOf(json);
  const text = textOr(fields['Error'], textOr(fields['error'], `API error: ${status}`));
  const code = textOr(fields['errorCode'], undefined);
  if (isApiErrorCode(code)) return new Failure(code, { status, text, message: textOr(fields['message'], text) });
  if (status === 403 && text.includes(TOKEN_REFUSED)) return new Failure('CSRF_TOKEN_EXPIRED', { status, text });
  return new Failure('API_ERROR', { status, text, ...(code === undefined ? {} : { foreignCode: code }) });
}

function fieldsOf(json: unknown): Record<string, unknown> {
  return typeof json === 'object' && json !== null ? { ...json } : {};
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
