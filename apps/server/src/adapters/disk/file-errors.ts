// Translates errors of the file system.
import { Failure } from '@furoshiki/api';
import { full, unavailable } from '../../store-failures.ts';

export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The disk, or the quota of its user, is full. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** A faulty disk does not cause these. A wrong call of ours does, or another program that changes our folder. */
const OURS = new Set(['EBADF', 'EEXIST', 'EINVAL', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTEMPTY']);

/** Returns a StoreFailure for every fault of the disk: full, read-only, not mounted, damaged … Returns other errors unchanged. */
export function diskFailureOf(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (error instanceof Failure || typeof code !== 'string') return error;
  if (FULL.has(code)) return full(code, error);
  return 'syscall' in (error as Error) && !OURS.has(code) ? unavailable(code, error) : error;
}

/** Throws NOT_FOUND for a missing file, and every other error unchanged. */
export async function orNotFound<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw errorCodeOf(cause) === 'ENOENT' ? new Failure('NOT_FOUND', {}, { cause }) : cause;
  }
}
