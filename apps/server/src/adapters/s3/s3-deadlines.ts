// Deadlines of calls to an S3 store, with all requests and retries of a call together. A stream has a limit on silence instead
// (s3-clients.ts).
import { AsyncLocalStorage } from 'node:async_hooks';
import type { S3Client } from '@aws-sdk/client-s3';
import { aroundCalls } from '../../around-calls.ts';
import { unavailable } from '../../store-failures.ts';
import { s3FailureOf } from './s3-errors.ts';

export interface S3Deadlines {
  /** Clients give up an ordinary call after 10 s. The rest is for the database. */
  ordinaryMs: number;
  /**
   * Some stores copy the parts of a large file when it is completed. Clients repeat this call for minutes. With the calls of
   * the database, it takes less than the 60 s that a proxy waits.
   */
  completionMs: number;
}

export const S3_DEADLINES: S3Deadlines = { ordinaryMs: 8000, completionMs: 25_000 };

/** Streams, and what sends no request. */
const WITHOUT_DEADLINE = new Set(['read', 'writePart', 'unsignedUrls']);

const deadlineOfCall = new AsyncLocalStorage<AbortSignal>();

/** Gives every method of the store its deadline, and translates its errors. */
export function withDeadlines<Store extends object>(store: Store, deadlines: S3Deadlines): Store {
  const msOf = (method: string) => (method === 'completeUpload' ? deadlines.completionMs : deadlines.ordinaryMs);
  return aroundCalls(store, {
    run: (method, call) =>
      WITHOUT_DEADLINE.has(method) ? call() : within(msOf(method), call as () => Promise<unknown>),
    failed: s3FailureOf,
  });
}

/** Rejects when the time is over, and aborts the requests of the call. */
export async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const aborting = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    aborting.abort();
    late.reject(unavailable('ETIMEDOUT'));
  }, ms);
  try {
    return await Promise.race([deadlineOfCall.run(aborting.signal, call), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the client abort its requests at the deadline of the call that sent them. */
export function abortAtDeadline(client: S3Client): S3Client {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options: { abortSignal?: unknown } = {}) => {
    const signals = [options.abortSignal, deadlineOfCall.getStore()].filter((signal) => signal instanceof AbortSignal);
    return handle(request, { ...options, abortSignal: AbortSignal.any(signals) });
  };
  return client;
}
