// What an S3 store refuses, in our words. Stores differ in names and agree on statuses.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '@furoshiki/core';

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}

const MISMATCHES = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall']);

export function isMismatch(error: unknown): boolean {
  return error instanceof S3ServiceException && MISMATCHES.has(error.name);
}

/** Answers what the call answers; what is not there is NOT_FOUND. */
export async function found<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isMissing(error) ? new Failure('NOT_FOUND', {}, { cause: error }) : error;
  }
}

/** For removing: what is not there is as it should be. */
export async function unlessMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
