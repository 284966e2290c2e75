// Parses responses: only those that match the contract are accepted.
import * as z from 'zod/mini';
import { Failure } from '../errors.ts';
import { type ApiResponse, type EndpointName, endpoints } from './endpoints.ts';

/** Throws API_ERROR if the response does not match its schema, for example because a proxy sent it. */
export function parseResponse<N extends EndpointName>(name: N, status: number, json: unknown): ApiResponse<N> {
  const parsed = z.safeParse(endpoints[name].response, json);
  if (!parsed.success) throw new Failure('API_ERROR', { status });
  return parsed.data as ApiResponse<N>;
}
