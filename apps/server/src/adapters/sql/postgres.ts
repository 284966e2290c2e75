// PostgreSQL: one connection pool per server. Every wait has a timeout.
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { Failure } from '@furoshiki/api';
import { hostsIn } from '../../config/variable-kinds.ts';
import { codeOf } from '../../diagnosis.ts';
import { full, unavailable } from '../../ports/store-failures.ts';
import { Refusal, type SqlDatabase, type Step } from './sql-database.ts';
import type { Tables } from './tables.ts';

export interface PoolLimits {
  connections: number;
  /** Timeout of one statement. 0 means no timeouts except for connecting. */
  statementMs: number;
  connectMs?: number;
  transactionMs?: number;
}

/** For a free connection or a new one. With a statement after it: less than the 10 s after which clients give up. */
export const CONNECT_MS = 3000;
/** Extra time after the statement timeout, for a network that has lost the response, or a database that is frozen. */
const GRACE_MS = 1500;
/** Then a transaction is rolled back. An API call has two at most, and a proxy waits 60 s. */
const TRANSACTION_MS = 8000;

export function openPostgres(url: string, limits: PoolLimits): SqlDatabase {
  const { connections, statementMs, connectMs = CONNECT_MS, transactionMs = TRANSACTION_MS } = limits;
  const pools = hostsIn(url).map((connectionString, _index, all) => {
    const pool = new pg.Pool({
      connectionString,
      max: connections,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      types,
      // Statements are sent without waiting for the response to the one before.
      pipeline: true,
      ...(all.length > 1 && { verify: refuseReadOnly }),
      ...(statementMs > 0 && { stream: () => socketWithTimeout(statementMs + GRACE_MS) }),
    });
    // A restart of the database closes connections. The pool opens new ones, and a running statement fails with an error of
    // its own. Without these listeners Node would end the process.
    pool.on('error', ignore);
    pool.on('connect', (client) => client.on('error', ignore));
    return pool;
  });
  const begin = statementMs === 0 ? 'begin' : beginWithin(statementMs);
  const acquire = acquireFrom(pools);
  const pool: PostgresPool = {
    options: {},
    end: async () => void (await Promise.all(pools.map((one) => one.end()))),
    connect: async () => boundedClient(await acquire(), begin, statementMs === 0 ? 0 : transactionMs),
  };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  return {
    db,
    reader: db,
    transact: async (steps) => transactOn(await acquire(), begin, steps),
    ping: () => ping(db),
    failureOf: postgresFailureOf,
    connections: () => ({
      open: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    }),
  };
}

/** A standby accepts connections, but cannot be written to. */
function refuseReadOnly(client: pg.PoolClient, done: (error?: Error) => void): void {
  const query = `select current_setting('transaction_read_only') as is_read_only`;
  client.query<{ is_read_only: string }>(query, (error, result) => {
    const isReadOnly = !error && result.rows[0]?.is_read_only === 'on';
    done(isReadOnly ? unavailable(READ_ONLY) : (error ?? undefined));
  });
}

/**
 * Timeouts of the server belong to the transaction: a pool between us and the database (PgBouncer) passes on no settings of a
 * connection. Without them, the server would continue what we no longer wait for.
 */
const beginWithin = (ms: number) =>
  `begin; set local statement_timeout = ${ms}; set local idle_in_transaction_session_timeout = ${ms}`;

async function ping(db: Kysely<Tables>): Promise<void> {
  const isReadOnly = sql<string>`current_setting('transaction_read_only')`.as('is_read_only');
  const { is_read_only } = await db.selectFrom('usage').select(isReadOnly).executeTakeFirstOrThrow();
  if (is_read_only === 'on') throw unavailable(READ_ONLY);
}

/**
 * Closes a connection whose response does not arrive, so that it leaves the pool. The driver's `query_timeout` only ends
 * the query: the pool would then use the same connection for the next one. The pool closes idle connections before this.
 */
function socketWithTimeout(silenceMs: number): Socket {
  const socket = new Socket();
  const late = () => Object.assign(new Error('the database did not respond'), { code: 'ETIMEDOUT' });
  return socket.setTimeout(silenceMs, () => socket.destroy(late()));
}

function ignore(): void {}

// Sizes, sums of sizes and times fit into a number. By default the driver returns them as text.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** More calls than a pool finishes while they wait. Each is small; without a limit a frozen database could collect them all. */
const MAX_WAITING = 10_000;

/** Limits how many calls wait. Begins with the host that has worked before, and tries each host once. */
function acquireFrom(pools: readonly pg.Pool[]): () => Promise<pg.PoolClient> {
  let current = 0;
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const tried = current;
      const pool = pools[tried];
      if (!pool || pool.waitingCount >= MAX_WAITING) throw unavailable('too many calls wait for a connection');
      try {
        return await pool.connect();
      } catch (error) {
        if (current === tried) current = (tried + 1) % pools.length;
        if (attempt === pools.length) throw connectionFailureOf(error);
      }
    }
  };
}

/** Queries that are sent at once, in one transaction. Returns the results of `queries`. */
async function sendTransaction(
  client: pg.PoolClient,
  begin: string,
  queries: readonly { text: string; values: readonly unknown[] }[],
): Promise<pg.QueryResult[]> {
  const begun = client.query(begin);
  const sent = queries.map(({ text, values }) => client.query(text, values as unknown[]));
  // If a statement has failed, this rolls back, and the error is that of the statement.
  const ended = client.query('commit');
  await Promise.allSettled([begun, ...sent, ended]);
  await begun;
  const results = await Promise.all(sent);
  await ended;
  return results;
}

async function transactOn(client: pg.PoolClient, begin: string, steps: readonly Step[]): Promise<unknown[][]> {
  try {
    const queries = steps.map((step) => ({ text: guarded(step), values: step.query.parameters }));
    return (await sendTransaction(client, begin, queries)).map(({ rows }) => rows);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === REFUSED) throw new Refusal(error.message);
    throw connectionFailureOf(error);
  } finally {
    client.release();
  }
}

/** Raised by the function `furoshiki_require`. */
const REFUSED = 'FU001';

/** Everything is sent before the first response, so the database itself must check the number of rows. */
function guarded({ query, refusal, rows = 1 }: Step): string {
  if (refusal === undefined) return query.sql;
  return `with step as (${query.sql}), guard as (select furoshiki_require(count(*) = ${rows}, '${refusal}') as holds from step)
    select step.*, guard.holds from guard left join step on true`;
}

/**
 * A connection as Kysely uses it: limits how long a transaction takes, and translates what the driver throws. `transactionMs` is
 * the time from getting the connection to its last statement; 0 means no limit.
 */
function boundedClient(client: pg.PoolClient, begin: string, transactionMs: number): PostgresPoolClient {
  const endsAtMs = transactionMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + transactionMs;
  let isInTransaction = false;
  const send = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
    if (isInTransaction || text === 'begin') {
      isInTransaction = text !== 'commit' && text !== 'rollback';
      return text === 'begin' ? client.query(begin) : client.query(text, values as unknown[]);
    }
    const [result] = await sendTransaction(client, begin, [{ text, values }]);
    return result as pg.QueryResult;
  };
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    // Not sent, so the transaction is rolled back for certain.
    if (performance.now() > endsAtMs && text !== 'rollback') throw unavailable('the transaction takes too long');
    try {
      return await send(text, values);
    } catch (error) {
      throw connectionFailureOf(error);
    }
  };
  return {
    // Kysely's second signature is for cursors, which we do not use.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  };
}

const DISK_FULL = '53100';
/** Translates errors of PostgreSQL and of its driver. */
const READ_ONLY = '25006';
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
