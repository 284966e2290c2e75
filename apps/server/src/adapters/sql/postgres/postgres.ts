// PostgreSQL: one connection pool per server. Every wait has a timeout.
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { unavailable } from '../../../store-failures.ts';
import type { SqlDatabase } from '../sql-database.ts';
import type { Tables } from '../tables.ts';
import { boundedPool } from './bounded-pool.ts';
import { postgresFailureOf, READ_ONLY } from './postgres-errors.ts';

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
