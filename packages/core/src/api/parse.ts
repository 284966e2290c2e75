// Reading what a server answered: only what keeps to the contract gets through.
import * as z from 'zod/mini';
import { Failure } from '../errors.ts';
import { type Answer, type EndpointName, endpoints } from './endpoints.ts';
import { errorAnswer } from './schemas.ts';

/** Throws API_ERROR where the answer is not what the contract says: a proxy's page, another server. */
export function parseAnswer<N extends EndpointName>(name: N, status: number, json: unknown): Answer<N> {
  const parsed = z.safeParse(endpoints[name].answer, json);
  if (!parsed.success) throw new Failure('API_ERROR', { status });
  return parsed.data as Answer<N>;
}

/** The failure behind an answer whose status is an error. */
export function failureOfAnswer(status: number, json: unknown): Failure {
  const parsed = z.safeParse(errorAnswer, json);
  return new Failure(parsed.success ? parsed.data.errorCode : 'API_ERROR', { status });
}
