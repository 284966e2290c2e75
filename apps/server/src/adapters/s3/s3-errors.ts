// Translates errors of an S3 store. Stores differ in error names, but agree on HTTP statuses.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '@furoshiki/core';

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}

const MISMATCHES = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall']);

export function isMismatch(error: unknown): boolean {
  return error instanceof S3ServiceException && MISMATCHES.has(error.name);
}

/** Returns the result of the call. Throws NOT_FOUND if the object or upload is missing. */
export async function found<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isMissing(error) ? new Failure('NOT_FOUND', {}, { cause: error }) : error;
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
