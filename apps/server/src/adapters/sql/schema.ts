// The version of a database's schema: brings it up to date, or only says how old it is.
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { migrationNames, migratorOf } from './migrations.ts';
import type { Tables } from './tables.ts';

/** `empty` has no tables yet. `older` is migrated at the next start. */
export type SchemaAge = 'empty' | 'older' | 'current';

export class NewerDatabaseError extends Error {}

export async function migrateToLatest(db: Kysely<Tables>): Promise<void> {
  const { error } = await migratorOf(db).migrateToLatest();
  if (!error) return;
  // The migrator calls a newer database corrupted. An error of the connection is the same again, and then the first one counts.
  await schemaAgeOf(db).catch((cause: unknown) => {
    if (cause instanceof NewerDatabaseError) throw cause;
  });
  throw new Error('the database could not be brought up to date', { cause: error });
}

/** Throws a NewerDatabaseError if this version does not know the schema. */
export async function schemaAgeOf(db: Kysely<Tables>): Promise<SchemaAge> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return 'empty';
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return ageOf(rows.map(({ name }) => name));
}

/** The same for a file of SQLite, without the changes that opening it makes to an older one. */
export function schemaAgeOfFile(path: string): SchemaAge {
  const database = new DatabaseSync(path);
  try {
    const isEmpty =
      database.prepare('select 1 from sqlite_master where name = ?').get(DEFAULT_MIGRATION_TABLE) === undefined;
    if (isEmpty) return 'empty';
    const rows = database.prepare(`select name from ${DEFAULT_MIGRATION_TABLE}`).all();
    return ageOf(rows.map(({ name }) => String(name)));
  } finally {
    database.close();
  }
}

/** Creates a table and takes it back: a migration needs this permission. */
export async function tryCreatingTables(db: Kysely<Tables>): Promise<void> {
  const takenBack = new Error();
  const trying = db.transaction().execute(async (trx) => {
    await trx.schema.createTable('furoshiki_doctor').addColumn('id', 'integer').execute();
    throw takenBack;
  });
  await trying.catch((error: unknown) => {
    if (error !== takenBack) throw error;
  });
}

function ageOf(applied: string[]): SchemaAge {
  const known = new Set(migrationNames);
  if (applied.some((name) => !known.has(name))) throw new NewerDatabaseError();
  return applied.length < known.size ? 'older' : 'current';
}
