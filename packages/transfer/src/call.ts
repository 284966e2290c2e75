// One call of the API with its retries, in the two ways a cancel may meet it.
import type { Answer, CallInput, EndpointName } from '@furoshiki/core';
import type { Api, Clock } from './ports.ts';
import { retryCall, withRetries } from './retry.ts';

export interface CallPorts {
  api: Api;
  clock: Clock;
}

/** A cancel cuts it short. */
export function call<N extends EndpointName>(
  { api, clock }: CallPorts,
  name: N,
  input: CallInput<N>,
  signal: AbortSignal,
): Promise<Answer<N>> {
  return withRetries(clock, retryCall, signal, () => api.call(name, input, signal));
}

/** For a call that makes something on the server: a cancel lets it answer, because the answer names what to remove. */
export function callUncut<N extends EndpointName>(
  { api, clock }: CallPorts,
  name: N,
  input: CallInput<N>,
  signal: AbortSignal,
): Promise<Answer<N>> {
  return withRetries(clock, retryCall, signal, () => api.call(name, input));
}

/** For clean-up and acknowledgements, which nobody cancels. */
export function neverCancelled(): AbortSignal {
  return new AbortController().signal;
}
