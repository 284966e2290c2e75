import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from '../../../../../scripts/ensure-backends.mjs';
import { sharedPostgres } from '../../../testing/backends.ts';
import type { Postgres } from '../../../testing/postgres.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import { newCompletion, newUpload, NOW, PAGE_LIMITS } from '../../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../../testing/no-limits.ts';
import type { MetadataStore } from '../../ports/metadata-store.ts';
import type { StoreFailure } from '../../ports/store-failures.ts';
import { createPostgresMetadataStore } from './metadata-store.ts';
import { connectionFailureOf, openPostgres, postgresFailureOf } from './postgres.ts';
import { partOf } from './records/room.ts';

const LIMITS = { connections: 2, statementMs: 1000, connectMs: 1000, transactionMs: 1500 };
const NO_LIMITS_OF_TIME = { connections: 2, statementMs: 0 };
const AWAY = { code: 'SERVICE_UNAVAILABLE', details: { retryAfterSeconds: 5 } };

describe.skipIf(findPostgres() === undefined)('a PostgreSQL', () => {
  let server: Postgres;
  let proxy: TcpProxy;
  let url: string;
  let store: MetadataStore;
  beforeAll(async () => {
    server = await sharedPostgres();
    // If only this file is run, it starts its own PostgreSQL.
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.newDatabase();
    const address = new URL(url);
    proxy = await TcpProxy.start(Number(address.port));
    address.port = String(proxy.port);
    store = await createPostgresMetadataStore(address.href, LIMITS);
  });
  afterEach(async () => {
    await store.close();
    await proxy.discard();
  });

  const insert = (id = 'a') => store.insertUpload(newUpload({ id, fileKey: id, uploadId: id }), NO_LIMITS);

  it('that is frozen gets no more connections than allowed, lets no call wait for long, and works once it continues', async () => {
    proxy.freeze();
    const calls = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? store.ping() : insert(`${n}`)));
    const results = await Promise.allSettled(calls);
    const refusal = { status: 'rejected', reason: expect.objectContaining({ ...AWAY, engineCode: 'ETIMEDOUT' }) };
    expect(results).toEqual(results.map(() => refusal));
    expect(store.connections?.()).toMatchObject({ waiting: 0 });
    expect(store.connections?.().open).toBeLessThanOrEqual(LIMITS.connections);
    proxy.thaw();
    await store.ping();
    expect(await insert()).toBe('reserved');
  });

  it('holds no lock while data travels: an upload is opened even if no response of it ever arrives', async () => {
    // Lends room, so that the next one takes one transaction.
    await insert('before');
    proxy.muteResponses();
    const lost = insert('a').catch((error: unknown) => error);
    const near = await createPostgresMetadataStore(url, LIMITS);
    await expect.poll(async () => (await near.tally()).openUploads).toBe(2);
    expect(await near.insertUpload(newUpload({ id: 'b', fileKey: 'b' }), NO_LIMITS)).toBe('reserved');
    expect(await lost).toMatchObject({ ...AWAY, engineCode: 'ETIMEDOUT' });
    await near.close();
  });

  it('that refuses connections is away, and works once it accepts them', async () => {
    await proxy.interrupt();
    // The first one may find a connection that was cut.
    await expect(store.ping()).rejects.toMatchObject(AWAY);
    await expect(store.ping()).rejects.toMatchObject({ ...AWAY, engineCode: 'ECONNREFUSED' });
    await proxy.resume();
    await store.ping();
  });

  it('with several hosts is used through the one that works', async () => {
    const other = await TcpProxy.start(Number(new URL(url).port));
    const hosts = `127.0.0.1:${proxy.port},127.0.0.1:${other.port}`;
    const both = url.replace(new URL(url).host, hosts) + '?target_session_attrs=read-write';
    const shared = await createPostgresMetadataStore(both, LIMITS);
    await shared.ping();
    for (const [away, working] of [
      [proxy, other],
      [other, proxy],
      [proxy, other],
    ] as const) {
      await away.interrupt();
      const before = working.roundTrips;
      // The first one may find a connection that was cut.
      await expect.poll(() => shared.ping().then(() => 'works', String)).toBe('works');
      expect(working.roundTrips).toBeGreaterThan(before);
      await away.resume();
    }
    await shared.close();
    await other.discard();
  });

  /** Holds locks that a reservation needs: on all that is not lent, and on what is lent to these parts. */
  async function lockUsage(...parts: (number | null)[]) {
    const { db } = openPostgres(url, NO_LIMITS_OF_TIME);
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
    const { promise: isDone, resolve: release } = Promise.withResolvers<void>();
    const holding = db.transaction().execute(async (trx) => {
      await trx.selectFrom('usage').select('id').forUpdate().execute();
      for (const part of parts)
        await trx.selectFrom('usage_parts').select('id').where('id', '=', part).forUpdate().execute();
      locked();
      await isDone;
    });
    await isLocked;
    return async () => {
      release();
      await holding;
      await db.destroy();
    };
  }

  it('whose row stays locked is away, also for calls that find no connection, and nothing is stored', async () => {
    const release = await lockUsage();
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(insert));
    await release();
    const codes = results.map((result) => (result.status === 'rejected' ? (result.reason as StoreFailure) : undefined));
    expect(codes).toEqual(results.map(() => expect.objectContaining(AWAY)));
    expect(new Set(codes.map((failure) => failure?.engineCode))).toContain('57014');
    expect((await store.tally()).openUploads).toBe(0);
    expect(await insert()).toBe('reserved');
  });

  it('lets an address open, send, complete, list and delete files while others hold the locks', async () => {
    const { db } = openPostgres(url, NO_LIMITS_OF_TIME);
    const [locked, ...others] = ['one', 'two', 'their page'].map((name) => partOf(db, name));
    await db.destroy();
    expect(others).not.toContain(locked);
    const insertAs = (addressHash: string) => {
      const upload = newUpload({ id: addressHash, fileKey: addressHash, uploadId: addressHash, addressHash });
      return store.insertUpload(upload, NO_LIMITS);
    };
    await insert('lends room');
    const release = await lockUsage(locked ?? null);
    const waiting = insertAs('one').catch((error: unknown) => error);
    expect(await insertAs('two')).toBe('reserved');
    await store.recordSentBytes('two', 1, NOW, NOW + 1000);
    await store.completeUpload('two', newCompletion({ pageId: 'their page' }));
    expect(await store.groupFiles(['two'], 'list', PAGE_LIMITS, NOW)).toMatchObject({ outcome: 'grouped' });
    await store.doomFile('two', NOW);
    await store.forget('two');
    expect(await store.tally()).toMatchObject({ openUploads: 1, liveFiles: 0, doomedFiles: 0 });
    expect(await waiting).toMatchObject(AWAY);
    await release();
    expect(await insertAs('one')).toBe('reserved');
  });

  it('that is read-only is away for writes and pings, and still reads', async () => {
    const { db } = openPostgres(url, NO_LIMITS_OF_TIME);
    await sql`alter database ${sql.id(new URL(url).pathname.slice(1))} set default_transaction_read_only = on`.execute(
      db,
    );
    await db.destroy();
    proxy.cut();
    await expect.poll(() => store.tryWriting().catch((error: unknown) => error)).toMatchObject({ engineCode: '25006' });
    await expect(insert()).rejects.toMatchObject({ ...AWAY, engineCode: '25006' });
    await expect(store.ping()).rejects.toMatchObject({ ...AWAY, engineCode: '25006' });
    await store.tally();
  });

  it('gets a write that tries it, is committed, and changes nothing', async () => {
    const { db } = openPostgres(url, NO_LIMITS_OF_TIME);
    const version = async () => (await sql<{ xmin: string }>`select xmin from usage`.execute(db)).rows[0]?.xmin;
    const before = [await version(), await store.tally()];
    await store.tryWriting();
    expect(await version()).not.toBe(before[0]);
    expect(await store.tally()).toEqual(before[1]);
    await db.destroy();
  });

  it('whose transaction takes too long rolls it back, even if each statement is quick', async () => {
    const { db } = openPostgres(url, LIMITS);
    let statements = 0;
    const slow = db.transaction().execute(async (trx) => {
      await trx.updateTable('usage').set({ stored_bytes: 7 }).execute();
      for (; statements < 100; statements += 1) await sql`select pg_sleep(0.1)`.execute(trx);
    });
    await expect(slow).rejects.toMatchObject(AWAY);
    expect(statements).toBeGreaterThan(0);
    expect((await store.tally()).storedBytes).toBe(0);
    await db.destroy();
  });
});

describe('an error of PostgreSQL', () => {
  const errorWith = (code: string) => Object.assign(new pg.DatabaseError('text', 1, 'error'), { code });

  it.each(['08006', '28P01', '3D000', '53300', '57P01', '57P03', '57014', '25006', '58030', 'XX001', '42501'])(
    '%s means that it is away',
    (code) => {
      expect(postgresFailureOf(errorWith(code))).toMatchObject({ ...AWAY, engineCode: code });
    },
  );

  it('53100 means that its disk is full', () => {
    expect(postgresFailureOf(errorWith('53100'))).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it.each(['23505', '42601', '40P01', '22003'])('%s is one of ours', (code) => {
    const error = errorWith(code);
    expect([postgresFailureOf(error), connectionFailureOf(error)]).toEqual([error, error]);
  });

  it.each([
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
  ])('"%s" is a timeout', (message) => {
    expect(connectionFailureOf(new Error(message))).toMatchObject({ ...AWAY, engineCode: 'ETIMEDOUT' });
  });

  it('without a code is a fault of the connection, unless it is a bug', () => {
    const lost = new Error('Connection terminated unexpectedly');
    expect(connectionFailureOf(lost)).toMatchObject({ ...AWAY, engineCode: lost.message, cause: lost });
    const bug = new TypeError('x is not a function');
    expect(connectionFailureOf(bug)).toBe(bug);
  });
});
