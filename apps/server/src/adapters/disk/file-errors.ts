// Translates the file system's errors that a client can act on.
import { Failure } from '@furoshiki/core';

export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Throws NOT_FOUND for a missing file, and every other error unchanged. */
export async function orNotFound<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw errorCodeOf(cause) === 'ENOENT' ? new Failure('NOT_FOUND', {}, { cause }) : cause;
  }
}
