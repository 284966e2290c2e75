// An open database: all of it, and the way to what is read thousands of times a second.
import type { Kysely } from 'kysely';
import type { Executor } from './prepared.ts';
import type { Tables } from './tables.ts';

export interface SqlDatabase {
  /** Destroying it closes everything. */
  db: Kysely<Tables>;
  /** Sees whatever was committed, and nothing that was not. */
  reader: Executor;
}
