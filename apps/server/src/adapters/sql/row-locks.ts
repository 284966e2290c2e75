// PostgreSQL locks rows, because several servers share it. SQLite locks the whole database when a transaction begins.
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables.ts';

export function locksRows(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
