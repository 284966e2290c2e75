// An open database, with a faster path for the most frequent reads.
import type { Kysely } from 'kysely';
import type { ConnectionCounts } from '../../ports/operator-records.ts';
import type { Executor } from './prepared.ts';
import type { Tables } from './tables.ts';

export interface SqlDatabase {
  /** Destroying it closes all connections. */
  db: Kysely<Tables>;
  /** Sees every committed write and no uncommitted one. Do not await it inside a transaction: it may wait for the end. */
  reader: Executor;
  /** Throws if the database does not respond, or is read-only. It writes nothing. */
  ping(): Promise<void>;
  /** Returns a StoreFailure if the database cannot be used or is full. Returns other errors unchanged. */
  failureOf(error: unknown): unknown;
  /** Only a database with a pool of connections has it. */
  connections?(): ConnectionCounts;
}
