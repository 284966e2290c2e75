// Translates errors of PostgreSQL and of its driver.
import { Failure } from '@furoshiki/api';
import pg from 'pg';
import { codeOf } from '../../../diagnosis/error-reason.ts';
import { full, unavailable } from '../../../store-failures.ts';

const DISK_FULL = '53100';
export const READ_ONLY = '25006';
/**
 * SQLSTATEs that say nothing about our statement: connection, credentials, no such database, resources, operator
 * (shutdown, timeout), system and internal errors; a read-only database, an ended idle transaction, withdrawn rights.
 */
const FAULTS = /^(?:08|28|3D|53|57|58|XX|25006$|25P03$|42501$)/u;

/** Returns a StoreFailure if the database reports a fault of its own. Returns other errors unchanged. */
export function postgresFailureOf(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return error;
  if (error.code === DISK_FULL) return full(error.code, error);
  return FAULTS.test(error.code) ? unavailable(error.code, error) : error;
}

/** For errors thrown by the driver: what is not a response of the database is a fault of the connection. */
export function connectionFailureOf(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof Failure || error instanceof TypeError) return error;
  // The driver's own errors have no code, and texts without any address.
  return unavailable(codeOf(error) ?? (error as Error).message, error);
}
