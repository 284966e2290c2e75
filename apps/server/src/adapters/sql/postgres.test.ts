import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres } from '../../../../../scripts/ensure-backends.mjs';
import { sharedPostgres } from '../../../testing/backends.ts';
import { type Postgres, startPostgres } from '../../../testing/postgres.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import { describeUpgrade } from '../../../testing/upgrade.ts';
import { describeMetadataStore } from '../../../testing/contracts/metadata-store.contract.ts';
import { describeOutboxRecords } from '../../../testing/contracts/outbox-records.contract.ts';
import { describeReportRecords } from '../../../testing/contracts/report-records.contract.ts';
import { describeSharedRecords } from '../../../testing/contracts/shared-records.contract.ts';
import { openTwoStores } from '../../../testing/contracts/two-stores.ts';
import { createPostgresMetadataStore, createSqlMetadataStore } from './metadata-store.ts';
import { openPostgres } from './postgres.ts';

const LIMITS = { connections: 5, statementMs: 10_000 };

describe.skipIf(findPostgres() === undefined)('PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await sharedPostgres();
    // If only this file is run, it starts its own PostgreSQL.
  });
  afterAll(() => server.stop());

  async function openOnce(settings = '') {
    const store = await createPostgresMetadataStore((await server.newDatabase()) + settings, LIMITS);
    return { store, discard: () => store.close() };
  }

  async function openTwice() {
    const url = await server.newDatabase();
    return openTwoStores(() => createPostgresMetadataStore(url, LIMITS));
  }

  describeMetadataStore('PostgreSQL', () => openOnce());
  // Without indexes, rows come in another order: a query must not depend on the planner's choice.
  const noIndexes = ['indexscan', 'indexonlyscan', 'bitmapscan'].map((way) => `-c enable_${way}=off`).join(' ');
  describeMetadataStore('PostgreSQL without index scans', () => openOnce(`?options=${encodeURIComponent(noIndexes)}`));
  describeOutboxRecords('PostgreSQL', openTwice);
  describeReportRecords('PostgreSQL', openTwice);
  describeSharedRecords('PostgreSQL', openTwice);

  describeUpgrade('PostgreSQL', async () => {
    const url = await server.newDatabase();
    return { open: () => openPostgres(url, LIMITS), discard: async () => undefined };
  });

  it('migrates once, however many servers start concurrently', async () => {
    const url = await server.newDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => createPostgresMetadataStore(url, LIMITS)));
    const names = await Promise.all(stores.map((store) => store.databaseId()));
    expect(new Set(names).size).toBe(1);
    for (const store of stores) await store.close();
  });

  it('works again after the database has restarted, and survives the restart', async () => {
    // Its own server: a restart of the shared one would cut the connections of other tests.
    const restarted = await startPostgres();
    const store = await createPostgresMetadataStore(await restarted.newDatabase(), LIMITS);
    await Promise.all(Array.from({ length: 5 }, () => store.ping()));
    const writing = Promise.allSettled(Array.from({ length: 50 }, () => store.tryWriting()));
    await restarted.restart();
    await writing;
    await expect.poll(() => store.ping()).toBeUndefined();
    await store.tryWriting();
    await store.close();
    await restarted.stop();
  });

  it('times out a slow statement and an idle transaction', async () => {
    const url = await server.newDatabase();
    const { db } = openPostgres(url, { connections: 2, statementMs: 1000 });
    const observer = openPostgres(url, LIMITS);
    await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: '57014' });
    const begun = Promise.withResolvers<{ pid: number; limit: string }>();
    const ended = Promise.withResolvers<void>();
    const idle = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number; limit: string }>`
        select pg_backend_pid() as pid, current_setting('idle_in_transaction_session_timeout') as "limit"`.execute(trx);
      begun.resolve(rows[0] ?? { pid: 0, limit: '' });
      await ended.promise;
      await sql`select 1`.execute(trx);
    });
    const { pid, limit } = await Promise.race([begun.promise, idle.then(() => begun.promise)]);
    // The database ends it even if this server is gone. Our own limit on silence would end the session here.
    expect(limit).toBe('1s');
    const sessions = async () =>
      (await sql`select 1 from pg_stat_activity where pid = ${pid}`.execute(observer.db)).rows.length;
    await expect.poll(sessions).toBe(0);
    ended.resolve();
    await expect(idle).rejects.toBeInstanceOf(Error);
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await observer.db.destroy();
    await db.destroy();
  });

  it('gives up on a connection whose responses do not arrive, and uses another', async () => {
    const url = new URL(await server.newDatabase());
    const proxy = await TcpProxy.start(Number(url.port));
    url.port = String(proxy.port);
    const { db } = openPostgres(url.href, { connections: 1, statementMs: 300 });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db);
    await ask();
    proxy.muteResponses();
    await expect(ask()).rejects.toBeInstanceOf(Error);
    expect((await ask()).rows).toEqual([{ one: 1 }]);
    await db.destroy();
    await proxy.discard();
  });

  it('opens no more connections than allowed', async () => {
    const url = await server.newDatabase();
    const database = openPostgres(url, { connections: 3, statementMs: 10_000 });
    const store = await createSqlMetadataStore(database);
    await Promise.all(Array.from({ length: 40 }, () => store.tryWriting()));
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity where datname = current_database()`.execute(database.db);
    expect(rows[0]?.count).toBeLessThanOrEqual(3);
    await store.close();
  });
});
