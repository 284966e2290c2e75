// What the stores in PostgreSQL and SQLite have in common: an open database, prepared queries and row locks.
import { type Compilable, type CompiledQuery, type Expression, type Kysely, PostgresAdapter, sql } from 'kysely';
import type { ConnectionCounts } from '../../ports/metadata-store.ts';
import type { Tables } from './tables.ts';

export interface SqlDatabase {
  /** Destroying it closes all connections. */
  db: Kysely<Tables>;
  /** Sees every committed write and no uncommitted one. Do not await it inside a transaction: it may wait for the end. */
  reader: Executor;
  /**
   * Runs the statements in one transaction and returns the rows of each. PostgreSQL gets them all at once: it takes one round trip,
   * and no lock is held while data travels. Throws a Refusal if one of them does not have the rows that it must have.
   */
  transact(steps: readonly Step[]): Promise<unknown[][]>;
  /** Throws if the database does not respond, or is read-only. It writes nothing. */
  ping(): Promise<void>;
  /** Returns a StoreFailure if the database cannot be used or is full. Returns other errors unchanged. */
  failureOf(error: unknown): unknown;
  /** Only an embedded database has it. */
  file?: DatabaseFile;
  /** Only a database with a pool of connections has it. */
  connections?(): ConnectionCounts;
}

/** One statement of a transaction. It cannot depend on the rows of an earlier one, except through the database. */
export interface Step {
  query: CompiledQuery;
  /** Why everything is taken back if the statement does not have its number of rows. */
  refusal?: string;
  /** How many it must have. */
  rows?: number;
}

/** A rule of the caller does not hold. The transaction was rolled back. */
export class Refusal extends Error {
  get reason(): string {
    return this.message;
  }
}

/** Returns the reason if the transaction was refused. */
export async function orRefusal<Reason extends string>(transaction: Promise<unknown>): Promise<Reason | 'done'> {
  try {
    await transaction;
    return 'done';
  } catch (error) {
    if (error instanceof Refusal) return error.reason as Reason;
    throw error;
  }
}

/** For a database in the same process, where a statement takes no round trip. */
export function inTurn(db: Kysely<Tables>): SqlDatabase['transact'] {
  return (steps) =>
    db.transaction().execute(async (trx) => {
      const results: unknown[][] = [];
      for (const { query, refusal, rows: count = 1 } of steps) {
        const { rows } = await trx.executeQuery(query);
        if (refusal !== undefined && rows.length !== count) throw new Refusal(refusal);
        results.push(rows);
      }
      return results;
    });
}

/** The file of an embedded database. */
export interface DatabaseFile {
  pages(): Promise<{ all: number; free: number }>;
  /** Gives up to this many free pages back to the file system. */
  shrink(pages: number): Promise<void>;
  /** Writes the whole file again, in another thread. Writers wait for it and readers do not. */
  rewrite(): Promise<void>;
  /** The log keeps old versions of rows until then. In another thread; if readers keep it from that, the log stays. */
  emptyLog(): Promise<void>;
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

/** A query that is compiled once. */
export interface Prepared<Values extends object, Row> {
  (executor: Executor, values: Values): Promise<Row[]>;
  /** The query with these values, as a step of a transaction. */
  with(values: Values): CompiledQuery<Row>;
}

type Fill<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

/**
 * Queries that are built and compiled once. For very frequent queries, building costs more than running them. `build`
 * gets a function that makes a named placeholder. The returned function runs the query with values.
 */
export function prepared<Values extends object, Row>(
  build: (value: Fill<Values>) => Compilable<Row>,
): Prepared<Values, Row> {
  const query = build((name) => sql.val(new Placeholder(name)) as unknown as Expression<Values[typeof name]>).compile();
  const withValues = (values: Values): CompiledQuery<Row> => ({
    ...query,
    parameters: query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    ),
  });
  const run = async (executor: Executor, values: Values) => (await executor.executeQuery<Row>(withValues(values))).rows;
  return Object.assign(run, { with: withValues });
}

/**
 * PostgreSQL locks rows, because several servers share it. SQLite locks the whole database when a transaction begins.
 */
export function locksRows(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
