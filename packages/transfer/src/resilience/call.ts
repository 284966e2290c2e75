// One call of the API with its retries.
import type { ApiResponse, CallInput, EndpointName } from '@furoshiki/api';
import type { Api } from '../ports.ts';
import { retryCall, type RetryPolicy, type RetryPorts, withRetries } from './retry.ts';

export interface CallPorts extends RetryPorts {
  api: Api;
}

export function call<N extends EndpointName>(
  ports: CallPorts,
  name: N,
  input: CallInput<N>,
  signal: AbortSignal,
  policy: RetryPolicy = retryCall,
): Promise<ApiResponse<N>> {
  return withRetries(ports, policy, signal, () => ports.api.call(name, input, signal));
}

/** For cleanup and confirmations, which are never cancelled. */
export function neverCancelled(): AbortSignal {
  return new AbortController().signal;
}
