// The embedded database: Node's own SQLite, adapted to the driver interface that Kysely's dialect expects.
import { statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { type CompiledQuery, Kysely, sql, type SqliteStatement } from 'kysely';
import { full, unavailable } from '../../../ports/store-failures.ts';
import { type DatabaseFile, type Executor, inTurn, type SqlDatabase } from '../sql-database.ts';
import type { Tables } from '../tables.ts';
import { databaseThread } from './database-thread.ts';
import { groupCommitDialect, LOCK_TIMEOUT_MS } from './group-commit.ts';

/** Prepared statements to keep. We have about thirty; lists of ids make variants, so their number is bounded. */
const MAX_PREPARED = 200;
/** 4 MB of the log are copied into the database by a thread. */
const CHECKPOINT_PAGES = 1000;
/** 64 MB. If the thread cannot keep up, the write that reaches this copies them itself. */
const MAX_LOG_PAGES = 16_000;
/** How long the thread waits for readers and writers before it leaves the log for the next time. */
const EMPTY_LOG_MS = 100;

export function openSqlite(
  path: string,
  onStatement?: (text: string) => void,
  lockMs: number = LOCK_TIMEOUT_MS,
): SqlDatabase {
  const isNew = !statSync(path, { throwIfNoEntry: false })?.size;
  const database = new DatabaseSync(path, { timeout: lockMs });
  // Before anything else. It would write to a database that exists, which gets it when it is rewritten.
  if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // FULL syncs the log on every commit: an acknowledged write survives a power cut. NORMAL would not in WAL mode.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec(`PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  eraseDeletedRows(database);
  const prepared = new Map<string, SqliteStatement>();

  const beginSnapshot = database.prepare('begin');
  const commit = database.prepare('commit');
  let hasSnapshot = false;

  // The copy ends with a sync, which can take as long as a hundred writes. Here only the log itself is synced.
  const thread = databaseThread(path, lockMs);
  const logState = database.prepare('pragma wal_checkpoint(noop)');
  let isCopying = false;

  function copyLogIfLong(): void {
    const { log, checkpointed } = logState.get() as { log: number; checkpointed: number };
    if (isCopying || log - checkpointed < CHECKPOINT_PAGES) return;
    isCopying = true;
    // If it fails, a later write asks again.
    const copied = thread.run('pragma wal_checkpoint(passive)').catch(() => undefined);
    void copied.then(() => (isCopying = false));
  }

  function endSnapshot(): void {
    if (!hasSnapshot) return;
    hasSnapshot = false;
    commit.run();
  }

  function prepare(text: string): SqliteStatement {
    onStatement?.(text);
    const known = prepared.get(text);
    if (known) return known;
    if (prepared.size === MAX_PREPARED) prepared.clear();
    const statement = adapt(database, text);
    prepared.set(text, statement);
    return statement;
  }

  const kyselyDatabase = {
    async close(): Promise<void> {
      await thread.stop();
      endSnapshot();
      database.close();
    },
    // A write cannot begin inside of a snapshot, and the next read must see the write.
    prepare(text: string): SqliteStatement {
      endSnapshot();
      return prepare(text);
    },
    exec(text: string): void {
      endSnapshot();
      database.exec(text);
    },
    get isTransaction(): boolean {
      return database.isTransaction;
    },
  };
  const db = new Kysely<Tables>({ dialect: groupCommitDialect(kyselyDatabase, copyLogIfLong, lockMs) });
  // Reads skip Kysely's executor, which takes as long as the query. The reads of one turn of the event loop share a
  // snapshot, because taking one also takes as long as the query. During a transaction they go through Kysely, which
  // waits for its end: a read must not see uncommitted rows.
  const reader: Executor = {
    async executeQuery<Row>(query: CompiledQuery<Row>) {
      if (!hasSnapshot) {
        if (database.isTransaction) return db.executeQuery(query);
        beginSnapshot.run();
        hasSnapshot = true;
        setImmediate(endSnapshot);
      }
      return { rows: prepare(query.sql).all(query.parameters) as Row[] };
    },
  };
  const file: DatabaseFile = {
    async pages() {
      const { rows } = await sql<{ all: number; free: number }>`
        select page_count as "all", freelist_count as free from pragma_page_count, pragma_freelist_count`.execute(db);
      return rows[0] ?? { all: 0, free: 0 };
    },
    // A statement that Kysely runs would end after the first page.
    shrink: (pages) => db.transaction().execute(async () => database.exec(`PRAGMA incremental_vacuum(${pages})`)),
    // The log has the whole database then.
    rewrite: () =>
      thread.run(
        `PRAGMA busy_timeout = ${lockMs}; PRAGMA secure_delete = ON; PRAGMA auto_vacuum = INCREMENTAL; VACUUM`,
      ),
    emptyLog: () => thread.run(`PRAGMA busy_timeout = ${EMPTY_LOG_MS}; PRAGMA wal_checkpoint(TRUNCATE)`),
  };
  return { db, reader, file, transact: inTurn(db), ping: () => ping(db, reader, path), failureOf: sqliteFailureOf };
}

/** SQLite would notice only with the next write that its files are read-only, or gone. */
async function ping(db: Kysely<Tables>, reader: Executor, path: string): Promise<void> {
  for (const name of [path, dirname(path)])
    await access(name, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      throw unavailable(error.code ?? 'unknown', error);
    });
  // A read does not wait behind writes that wait for the thread.
  const { rows } = await reader.executeQuery(db.selectFrom('usage').select('id').compile());
  if (rows.length === 0) throw unavailable('no usage');
}

/** Deleted rows are overwritten. A database of an older version, which only unlinked them, is rewritten once. */
function eraseDeletedRows(database: DatabaseSync): void {
  database.exec('PRAGMA secure_delete = ON');
  if (database.prepare('PRAGMA user_version').get()?.['user_version'] !== 0) return;
  database.exec('VACUUM; PRAGMA user_version = 1;');
}

function adapt(database: DatabaseSync, text: string): SqliteStatement {
  const statement = database.prepare(text);
  const names = statement.columns().map(({ name }) => name);
  // Rows arrive as arrays and get their names here: row objects made by SQLite take twice as long to create and to read.
  if (names.length > 0) statement.setReturnArrays(true);
  // Our typed queries only contain text, numbers and nulls.
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: names.length > 0,
    all: (parameters) =>
      (statement.all(...values(parameters)) as unknown as SQLOutputValue[][]).map((row) => namedRow(names, row)),
    run: (parameters) => statement.run(...values(parameters)),
    *iterate(parameters) {
      for (const row of statement.iterate(...values(parameters)) as Iterable<unknown>)
        yield namedRow(names, row as SQLOutputValue[]);
    },
  };
}

function namedRow(names: string[], values: SQLOutputValue[]): Record<string, SQLOutputValue> {
  const row: Record<string, SQLOutputValue> = {};
  let index = 0;
  for (const name of names) row[name] = values[index++] ?? null;
  return row;
}

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

/**
 * Translates errors of SQLite. Returns a StoreFailure if the database cannot be used or is full. Returns other errors
 * unchanged.
 */
function sqliteFailureOf(error: unknown): unknown {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // The lowest byte of an extended code is the primary one.
  const primary = errcode & 0xff;
  if (primary === FULL) return full('SQLITE_FULL', error);
  const name = FAULTS[primary];
  return name === undefined ? error : unavailable(name, error);
}
