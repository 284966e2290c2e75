// Decides what is retried and after how long: (failure, attempt) -> wait | stop. `call` is one call of the API with its retries.
import type { ApiResponse, CallInput, EndpointName, Failure } from '@furoshiki/api';
import { assertNotCancelled, failureUnder } from './cancellation.ts';
import { mayBeUnreachable, spreadMs } from './network.ts';
import type { Api, Clock, Network } from '../ports.ts';

const RETRIES = 3;
/** If fresh URLs are refused too, later ones will be refused as well. The user sees the error after six seconds. */
const REFUSED_RETRIES = 2;
/** About eleven minutes in total. */
const COMPLETION_RETRIES = 24;
const MAX_COMPLETION_WAIT_MS = 30_000;
const MAX_RETRY_AFTER_SECONDS = 60;

/** `attempt` is the one that has just failed, counted from 1. Returns how many milliseconds to wait at least before the next. */
export type RetryPolicy = (failure: Failure, attempt: number) => number | 'stop';

/** For one part or chunk. Each attempt must get a fresh URL: a refused one would be refused again. */
export const retryPart: RetryPolicy = (failure, attempt) =>
  attempt <= (isUrlRefused(failure) ? REFUSED_RETRIES : RETRIES) &&
  (isTransient(failure) || isUrlRefused(failure) || isBodyCut(failure))
    ? waitMsFor(failure, attempt)
    : 'stop';

/** Three attempts, for a whole file that is fetched at once. */
export const retryWhole: RetryPolicy = (failure, attempt) => (attempt <= 2 ? retryPart(failure, attempt) : 'stop');

/** For a file whose chunks have used up their own attempts. The next attempt continues where the last one ended. */
export const retryFile: RetryPolicy = (failure, attempt) =>
  isUrlRefused(failure) ? 'stop' : retryWhole(failure, attempt);

/** For the part notice and every other call of the API. */
export const retryCall: RetryPolicy = (failure, attempt) =>
  attempt <= RETRIES && isTransient(failure) ? waitMsFor(failure, attempt) : 'stop';

/**
 * For the calls after the last byte: giving up here would lose the whole upload. Some stores need longer than one call
 * to assemble a large file, and a store that was killed in the meantime can keep it locked for ten minutes.
 */
export const retryCompletion: RetryPolicy = (failure, attempt) =>
  attempt <= COMPLETION_RETRIES && isTransient(failure) ? waitMsFor(failure, attempt, MAX_COMPLETION_WAIT_MS) : 'stop';

/** Respects Retry-After up to a minute. For a longer wait the user gets an error instead. */
function waitMsFor({ details: { retryAfterSeconds = 0 } }: Failure, attempt: number, maxMs?: number): number | 'stop' {
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return 'stop';
  return Math.max(backoffMs(attempt, maxMs), retryAfterSeconds * 1000);
}

export function backoffMs(attempt: number, maxMs = Number.POSITIVE_INFINITY): number {
  return Math.min(2 ** attempt * 1000, maxMs);
}

/** The storage refuses a signed URL, for example because it has expired. A fresh one may work. */
export function isUrlRefused({ code, details }: Failure): boolean {
  return code === 'URL_EXPIRED' || code === 'SIGNATURE_INVALID' || (code === 'STORAGE_ERROR' && details.status === 403);
}

function isBodyCut({ code }: Failure): boolean {
  return code === 'PART_LENGTH_INVALID';
}

// Everything else stops at once: waiting does not help against invalid input, a wrong key or an unreadable file.
export function isTransient({ code, details: { status } }: Failure): boolean {
  switch (code) {
    case 'NETWORK':
    case 'TIMEOUT':
    case 'INTERNAL':
    case 'SERVICE_UNAVAILABLE':
    case 'RATE_LIMITED':
      return true;
    case 'STORAGE_ERROR':
      return status === undefined || isTransientStatus(status);
    case 'API_ERROR':
      return status !== undefined && isTransientStatus(status);
    default:
      return false;
  }
}

function isTransientStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

interface RetryPorts {
  clock: Clock;
  network: Network;
}

/**
 * Runs until it succeeds or the policy says stop. An attempt that failed because the server was unreachable does not
 * count: it is repeated when the server responds. An abort ends it with CANCELLED, even during a wait.
 */
export async function withRetries<T>(
  { clock, network }: RetryPorts,
  policy: RetryPolicy,
  signal: AbortSignal,
  run: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; ) {
    assertNotCancelled(signal);
    try {
      return await run(attempt);
    } catch (thrown) {
      const failure = failureUnder(signal, thrown);
      if (mayBeUnreachable(failure) && (await network.waitUntilReachable(signal))) continue;
      const waitMs = policy(failure, attempt);
      if (waitMs === 'stop') throw failure;
      await clock.sleep(spreadMs(clock, waitMs), signal);
      attempt += 1;
    }
  }
}

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
