// Translates errors of an S3 store. Stores differ in error names, but agree on HTTP statuses.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '@furoshiki/api';
import { codeOf } from '../../diagnosis.ts';
import { full, unavailable } from '../../ports/store-failures.ts';

/** Whether an object or an upload is missing. A missing bucket is a fault of the store. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket';
}

const MISMATCHES = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall']);

export function isMismatch(error: unknown): boolean {
  return error instanceof S3ServiceException && MISMATCHES.has(error.name);
}

const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull']);
/** Names of faults whose status is also used for faulty requests. */
const FAULTS = new Set([
  'NoSuchBucket',
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeout',
]);
/** Timed out, aborted by a deadline, or without credentials to sign with. */
const FAULTS_OF_SDK = new Set(['TimeoutError', 'AbortError', 'CredentialsProviderError']);

/** Returns a StoreFailure if the store is away, busy or full, or refuses our credentials. Returns other errors unchanged. */
export function s3FailureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (status === 507 || FULL.has(error.name)) return full(error.name, error);
  if (error instanceof S3ServiceException)
    return isFaultOfStore(error.name, status) ? unavailable(nameOf(error, status), error) : error;
  // The SDK adds metadata to whatever happens between sending a request and reading its response.
  const isFault = typeof code === 'string' || $metadata !== undefined || FAULTS_OF_SDK.has(error.name);
  return isFault ? unavailable(codeOf(error) ?? error.name, error) : error;
}

/** Wrong keys, a wrong clock and a suspended user are refused with 401 or 403. */
function isFaultOfStore(name: string, status = 500): boolean {
  if (status >= 500) return status !== 501;
  return status < 400 || [401, 403, 408, 429].includes(status) || FAULTS.has(name);
}

/** The response to a HEAD request has no body, and so no name of the error. */
function nameOf({ name }: Error, status: number | undefined): string {
  return /^(?:Unknown|UnknownError|\d+)$/u.test(name) ? `HTTP ${status ?? 'without status'}` : name;
}

/** Returns the result of the call. Throws NOT_FOUND if the object or upload is missing. */
export async function found<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isMissing(error) ? new Failure('NOT_FOUND', {}, { cause: error }) : error;
  }
}

/** Names the error of a HEAD request, whose response has no body: `get` sends a request that fails for the same reason. */
export async function named<T>(head: Promise<T>, get: () => Promise<unknown>): Promise<T> {
  try {
    return await head;
  } catch (error) {
    if (error instanceof S3ServiceException) await get();
    throw error;
  }
}

/** Returns undefined if the object or upload is missing. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
