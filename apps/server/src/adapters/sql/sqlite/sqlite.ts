// The embedded database: Node's own SQLite, dressed as what Kysely's dialect expects.
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import type { SqlDatabase } from '../sql-database.ts';
import { createSqliteReader, type SqliteReader } from './sqlite-reader.ts';
import type { Tables } from '../tables.ts';

/** Statements kept ready. Ours are about thirty; lists of ids make variants, so there is an end. */
const MAX_PREPARED = 200;
/** Addresses, not memory: more than a million files take. */
const MAPPED_BYTES = 2 ** 30;

export function openSqlite(path: string, onStatement?: (sql: string) => void): SqlDatabase {
  const database = connect(path);
  // FULL syncs the log on every commit: what was acknowledged survives a power cut. NORMAL would not in WAL mode.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  const aside = connect(path, { readOnly: true });
  const reader = createSqliteReader(database, aside, onStatement);
  const prepared = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    onStatement?.(sql);
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size === MAX_PREPARED) prepared.clear();
    const statement = adapt(database, reader, sql);
    prepared.set(sql, statement);
    return statement;
  }

  function close(): void {
    reader.endSnapshot();
    aside.close();
    database.close();
  }

  return { db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: { close, prepare } }) }), reader };
}

/**
 * Reads take pages where the system has them, without a call for each: among a million files, two of them are new to every
 * read. A disk that cannot be read ends the process then, as a power cut would.
 */
function connect(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000, ...options });
  database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return database;
}

function adapt(database: DatabaseSync, reader: SqliteReader, sql: string): SqliteStatement {
  // A transaction that reads first and writes later fails at once where another process (the operator's command) wrote in
  // between. With the lock from the start, it waits for its turn instead.
  const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
  // Kysely hands over what our typed queries hold: texts, numbers and nulls.
  const values = (parameters: readonly unknown[]) => {
    // Whatever this writes, the next read shall see.
    reader.endSnapshot();
    return parameters as readonly SQLInputValue[];
  };
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
