// Translates the file system's errors that a client can act on.
import { Failure } from '@furoshiki/core';

export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Throws QUOTA_EXCEEDED if the disk, or the quota of its user, is full. Throws every other error unchanged. */
export async function orQuotaExceeded<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (cause) {
    const code = errorCodeOf(cause);
    throw code === 'ENOSPC' || code === 'EDQUOT' ? new Failure('QUOTA_EXCEEDED', {}, { cause }) : cause;
  }
}

/** Throws NOT_FOUND for a missing file, and every other error unchanged. */
export async function orNotFound<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw errorCodeOf(cause) === 'ENOENT' ? new Failure('NOT_FOUND', {}, { cause }) : cause;
  }
}
