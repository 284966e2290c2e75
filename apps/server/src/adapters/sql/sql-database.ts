// What the stores in PostgreSQL and SQLite have in common: an open database, prepared queries and row locks.
import { type Compilable, type CompiledQuery, type Expression, type Kysely, PostgresAdapter, sql } from 'kysely';
import type { ConnectionCounts } from '../../ports/metadata-store.ts';
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
  /** Only an embedded database has it. */
  file?: DatabaseFile;
  /** Only a database with a pool of connections has it. */
  connections?(): ConnectionCounts;
}

/** The file of an embedded database. */
export interface DatabaseFile {
  pages(): Promise<{ all: number; free: number }>;
  /** Gives up to this many free pages back to the file system. */
  shrink(pages: number): Promise<void>;
  /** Writes the whole file again, in another thread. Writers wait for it and readers do not. */
  rewrite(): Promise<void>;
}

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Runs compiled queries: a database, a transaction or a reader. */
export interface Executor {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>;
}

type Fill<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

/**
 * Queries that are built and compiled once. For very frequent queries, building costs more than running them. `build`
 * gets a function that makes a named placeholder. The returned function runs the query with values.
 */
export function prepared<Values extends object, Row>(
  build: (value: Fill<Values>) => Compilable<Row>,
): (executor: Executor, values: Values) => Promise<Row[]> {
  const query = build((name) => sql.val(new Placeholder(name)) as unknown as Expression<Values[typeof name]>).compile();
  return async (executor, values) => {
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await executor.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

/**
 * PostgreSQL locks rows, because several servers share it. SQLite locks the whole database when a transaction begins.
 */
export function locksRows(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
