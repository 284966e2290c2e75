// PostgreSQL: one pool of connections per server, none of which can hang for long.
import { Socket } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { SqlDatabase } from '../sql-database.ts';
import type { Tables } from '../tables.ts';

export interface PoolLimits {
  connections: number;
  /** How long the database works on one statement. 0: as long as it takes. */
  statementMs: number;
}

const CONNECT_MS = 5000;
/** Beyond the statement's own end: for a network that swallows the answer. */
const GRACE_MS = 5000;

export function openPostgres(url: string, { connections, statementMs }: PoolLimits): SqlDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types,
    ...(statementMs === 0
      ? {}
      : {
          statement_timeout: statementMs,
          idle_in_transaction_session_timeout: statementMs,
          stream: () => mortalSocket(statementMs + GRACE_MS),
        }),
  });
  // A database that restarts ends connections, idle or between two statements. The pool opens others; whoever was asking is
  // told by the statement that failed. Without listeners Node would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { db, reader: db };
}

/**
 * A connection whose answer does not come ends, and so leaves the pool. The driver's own `query_timeout` gives up on the
 * answer alone: the pool would hand the same connection to the next who asks. Idle ones are closed by the pool before this.
 */
function mortalSocket(silenceMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMs, () => socket.destroy(new Error('the database did not answer')));
}

function ignore(): void {}

// Sizes and times fit into a number, as do sums of sizes: the driver's own choice would be text.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);
