// Faults of PostgreSQL, which is behind a proxy. The bytes are on disk.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgres } from '../../../../scripts/ensure-backends.mjs';
import type { Postgres } from '../postgres.ts';
import type { Fault, Switch } from './fault.ts';
import { FaultProxy } from './fault-proxy.ts';

interface Database {
  proxy: FaultProxy;
  /** Makes new sessions of the database read-only or not, and ends those that there are. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

export function databaseFaults(postgres: () => Promise<Postgres>): Fault[] {
  const fault = (name: string, switchOf: (database: Database) => Switch): Fault => ({
    name,
    isPossible: findPostgres() !== undefined,
    deploy: async () => deployWith(await postgres(), switchOf),
  });
  return [
    fault('database down', ({ proxy }) => ({ arrange: () => proxy.interrupt(), restore: () => proxy.resume() })),
    fault('database frozen', ({ proxy }) => ({ arrange: () => proxy.freeze(), restore: () => proxy.thaw() })),
    fault('database read-only', ({ setReadOnly }) => ({
      arrange: () => setReadOnly(true),
      restore: () => setReadOnly(false),
    })),
  ];
}

async function deployWith(postgres: Postgres, switchOf: (database: Database) => Switch) {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-faults-'));
  const direct = new URL(await postgres.newDatabase());
  const name = direct.pathname.slice(1);
  const proxy = await FaultProxy.start(Number(direct.port));
  const url = new URL(direct);
  url.port = String(proxy.port);
  url.password = randomBytes(16).toString('hex');

  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    // In another database, which stays writable.
    const client = new pg.Client({ connectionString: new URL('/postgres', direct).href });
    await client.connect();
    await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await client.end();
  }

  return {
    ...switchOf({ proxy, setReadOnly }),
    environment: { DATA_DIR: folder, DATABASE_URL: url.href },
    aliases: { [folder]: '…', [name]: '…', [String(proxy.port)]: '…' },
    secrets: [url.password],
    async discard() {
      await proxy.discard();
      await rm(folder, { recursive: true });
    },
  };
}
