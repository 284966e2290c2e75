// What is worth another try, and after how long: (failure, attempt) -> wait | stop.
import type { Failure } from '@furoshiki/core';
import { assertNotCancelled, failureUnder } from './cancellation.ts';
import { mayBeUnreachable } from './network.ts';
import type { Clock, Network } from '../ports.ts';

const RETRIES = 3;
const MAX_PART_WAIT_MS = 30_000;
const MAX_CALL_WAIT_MS = 8_000;
/** About eleven minutes. */
const COMPLETION_RETRIES = 24;
const MAX_COMPLETION_WAIT_MS = 30_000;
const MAX_RETRY_AFTER_SECONDS = 60;

/** `attempt` counts from 1: the try that has just failed. Answers how many milliseconds to wait before the next. */
export type RetryPolicy = (failure: Failure, attempt: number) => number | 'stop';

/** For one part or chunk. Each try must ask for a URL that works: a refused one is never worth a second try. */
export const retryPart: RetryPolicy = (failure, attempt) =>
  attempt <= RETRIES && (isTransient(failure) || isUrlRefused(failure) || isCutBody(failure))
    ? waitMsFor(failure, attempt, MAX_PART_WAIT_MS)
    : 'stop';

/** For one whole file that is fetched at once: three tries. */
export const retryWhole: RetryPolicy = (failure, attempt) => (attempt <= 2 ? retryPart(failure, attempt) : 'stop');

/** For a file whose chunks have used up their own tries. The next try goes on where the last one ended. */
export const retryFile = retryWhole;

/** For the completion notice and every other call of the API. */
export const retryCall: RetryPolicy = (failure, attempt) =>
  attempt <= RETRIES && isTransient(failure) ? waitMsFor(failure, attempt, MAX_CALL_WAIT_MS) : 'stop';

/**
 * For what follows the last byte: giving up now would cost all of them. And it may take a while: a large file is not put
 * together within one call everywhere, and a store that was killed over it can keep it locked for ten minutes.
 */
export const retryCompletion: RetryPolicy = (failure, attempt) =>
  attempt <= COMPLETION_RETRIES && isTransient(failure) ? waitMsFor(failure, attempt, MAX_COMPLETION_WAIT_MS) : 'stop';

/** A server that says when to come back is believed, up to a minute: who must wait longer had better be told. */
function waitMsFor({ details: { retryAfterSeconds = 0 } }: Failure, attempt: number, maxMs: number): number | 'stop' {
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return 'stop';
  return Math.max(backoffMs(attempt, maxMs), retryAfterSeconds * 1000);
}

export function backoffMs(attempt: number, maxMs: number): number {
  return Math.min(2 ** attempt * 1000, maxMs);
}

/** A signed URL that the storage does not take (any more). A fresh one may do. */
export function isUrlRefused({ code, details }: Failure): boolean {
  return code === 'URL_EXPIRED' || code === 'SIGNATURE_INVALID' || (code === 'STORAGE_ERROR' && details.status === 403);
}

function isCutBody({ code }: Failure): boolean {
  return code === 'PART_LENGTH_INVALID';
}

// Whatever is not named here stops at once: validation, keys, decryption and unreadable files do not heal by waiting.
function isTransient({ code, details: { status } }: Failure): boolean {
  switch (code) {
    case 'NETWORK':
    case 'TIMEOUT':
    case 'INTERNAL':
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

export interface RetryPorts {
  clock: Clock;
  network: Network;
}

/**
 * Tries until it works or the policy says stop. A try that failed because the server could not be reached does not
 * count: the next one follows when it can be. An abort ends it with CANCELLED, also in the middle of a wait.
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
      await clock.sleep(waitMs, signal);
      attempt += 1;
    }
  }
}
