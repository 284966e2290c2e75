// One call of the API with its retries.
import type { Answer, CallInput, EndpointName } from '@furoshiki/core';
import type { Api, Clock } from './ports.ts';
import { retryCall, withRetries } from './retry.ts';

export interface CallPorts {
  api: Api;
  clock: Clock;
}

export function call<N extends EndpointName>(
  { api, clock }: CallPorts,
  name: N,
  input: CallInput<N>,
  signal: AbortSignal,
): Promise<Answer<N>> {
  return withRetries(clock, retryCall, signal, () => api.call(name, input, signal));
}

/** For clean-up and acknowledgements, which nobody cancels. */
export function neverCancelled(): AbortSignal {
  return new AbortController().signal;
}
