// Where several servers share a database, rows are locked; SQLite locks the whole of it with the first word of a transaction.
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables.ts';

export function locksRows(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
