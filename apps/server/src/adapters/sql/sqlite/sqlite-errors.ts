// Translates errors of SQLite.
import { full, unavailable } from '../../../store-failures.ts';

const FULL = 13;
/** Primary result codes that say nothing about our statement. */
const FAULTS: Record<number, string> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  26: 'SQLITE_NOTADB',
};

/** Returns a StoreFailure if the database cannot be used or is full. Returns other errors unchanged. */
export function sqliteFailureOf(error: unknown): unknown {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // The lowest byte of an extended code is the primary one.
  const primary = errcode & 0xff;
  if (primary === FULL) return full('SQLITE_FULL', error);
  const name = FAULTS[primary];
  return name === undefined ? error : unavailable(name, error);
}
