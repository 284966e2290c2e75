// PostgreSQL: one connection pool per server. Every wait has a timeout.
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { Failure } from '@furoshiki/api';
import { codeOf } from '../../diagnosis.ts';
import { full, unavailable } from '../../ports/store-failures.ts';
import type { SqlDatabase } from './sql-database.ts';
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

export function openPostgres(
  url: string,
  { connections, statementMs, connectMs = CONNECT_MS, transactionMs = TRANSACTION_MS }: PoolLimits,
): SqlDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types,
    ...(statementMs === 0
      ? {}
      : {
          statement_timeout: statementMs,
          idle_in_transaction_session_timeout: statementMs,
          stream: () => socketWithTimeout(statementMs + GRACE_MS),
        }),
  });
  // A restart of the database closes connections. The pool opens new ones, and a running statement fails with an error of
  // its own. Without these listeners Node would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const bounded = boundedPool(pool, statementMs === 0 ? 0 : transactionMs);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: bounded }) });
  return {
    db,
    reader: db,
    ping: () => ping(db),
    failureOf: postgresFailureOf,
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

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

/**
 * The pool as Kysely uses it: limits how many calls wait and how long a transaction takes, and translates what the
 * driver throws. `transactionMs` is the time from getting a connection to its last statement; 0 means no limit.
 */
function boundedPool(pool: pg.Pool, transactionMs: number): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      if (pool.waitingCount >= MAX_WAITING) throw unavailable('too many calls wait for a connection');
      try {
        return boundedClient(await pool.connect(), transactionMs);
      } catch (error) {
        throw connectionFailureOf(error);
      }
    },
  };
}

function boundedClient(client: pg.PoolClient, transactionMs: number): PostgresPoolClient {
  const endsAtMs = transactionMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + transactionMs;
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    // Not sent, so the transaction is rolled back for certain.
    if (performance.now() > endsAtMs && sql !== 'rollback') throw unavailable('the transaction takes too long');
    try {
      return await client.query(sql, parameters as unknown[]);
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
