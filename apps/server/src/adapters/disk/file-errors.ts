// The errors of the file system that mean something to a client.
import { Failure } from '@furoshiki/core';

export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** A file that is not there becomes NOT_FOUND; every other error stays what it is. */
export async function orNotFound<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw errorCodeOf(cause) === 'ENOENT' ? new Failure('NOT_FOUND', {}, { cause }) : cause;
  }
}
