// The pool as Kysely uses it: limits how many calls wait and how long a transaction takes, and translates what the driver throws.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { unavailable } from '../../../store-failures.ts';
import { connectionFailureOf } from './postgres-errors.ts';

/** More calls than a pool finishes while they wait. Each is small; without a limit a frozen database could collect them all. */
const MAX_WAITING = 10_000;

/** `transactionMs` is the time from getting a connection to its last statement; 0 means no limit. */
export function boundedPool(pool: pg.Pool, transactionMs: number): PostgresPool {
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
