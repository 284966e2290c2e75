// Parses responses: only those that match the contract are accepted.
import * as z from 'zod/mini';
import { Failure, isApiErrorCode } from '../errors.ts';
import { type ApiResponse, type EndpointName, endpoints } from './endpoints.ts';

/** Throws API_ERROR if the response does not match its schema, for example because a proxy sent it. */
export function parseResponse<N extends EndpointName>(name: N, status: number, json: unknown): ApiResponse<N> {
  const parsed = z.safeParse(endpoints[name].response, json);
  if (!parsed.success) throw new Failure('API_ERROR', { status });
  return parsed.data as ApiResponse<N>;
}

/** Not strict, because an error may come from any proxy between us and our server. */
const anyError = z.record(z.string(), z.unknown());
const textOr = <Other>(value: unknown, other: Other): string | Other => (typeof value === 'string' ? value : other);

const TOKEN_REFUSED = 'Invalid or expired CSRF token';

/** Returns the failure for a response with an error status. */
export function failureOfResponse(status: number, json: unknown): Failure {
  const { data } = z.safeParse(anyError, json);
  const text = textOr(data?.['Error'], textOr(data?.['error'], `API error: ${status}`));
  const code = textOr(data?.['errorCode'], undefined);
  if (isApiErrorCode(code)) return new Failure(code, { status, text });
  if (status === 403 && text.includes(TOKEN_REFUSED)) return new Failure('CSRF_TOKEN_EXPIRED', { status, text });
  return new Failure('API_ERROR', { status, text, ...(code === undefined ? {} : { foreignCode: code }) });
}
