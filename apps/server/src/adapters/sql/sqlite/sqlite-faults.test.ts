import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newUpload, NO_LIMITS } from '../../../contracts/metadata-fixture.ts';
import type { MetadataStore } from '../../../ports/metadata-store.ts';
import { createSqlMetadataStore } from '../metadata-store.ts';
import type { SqlDatabase } from '../sql-database.ts';
import { openSqlite } from './sqlite.ts';

const LOCK_MS = 100;

let folder: string;
let path: string;
let database: SqlDatabase;
let store: MetadataStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-sqlite-'));
  path = join(folder, 'test.db');
  database = openSqlite(path, undefined, LOCK_MS);
  store = await createSqlMetadataStore(database);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const insert = (id = 'a') =>
  store.insertUpload(newUpload({ id, fileKey: id, uploadId: id, fileName: 'x'.repeat(100_000) }), NO_LIMITS);
const count = () => store.countHit('key', 0, 1000);

it('reports a full disk as QUOTA_EXCEEDED, in a transaction and outside, and works again when there is room', async () => {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.db);
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count)}`.execute(database.db);
  const refusal = { code: 'QUOTA_EXCEEDED', engineCode: 'SQLITE_FULL' };
  await expect(insert()).rejects.toMatchObject(refusal);
  const long = { id: 'm', subject: '', text: 'x'.repeat(100_000), replyTo: undefined, createdAtMs: 0 };
  await expect(store.addMessage(long)).rejects.toMatchObject(refusal);
  await sql`pragma max_page_count = 1000000`.execute(database.db);
  expect(await insert()).toBe('reserved');
});

it('reports a read-only database as SERVICE_UNAVAILABLE, and still reads', async () => {
  await sql`pragma query_only = on`.execute(database.db);
  const refusal = { code: 'SERVICE_UNAVAILABLE', engineCode: 'SQLITE_READONLY', details: { retryAfterSeconds: 5 } };
  await expect(insert()).rejects.toMatchObject(refusal);
  await expect(count()).rejects.toMatchObject(refusal);
  await store.ping();
});

it('refuses all writes that wait while another process holds the lock, without stopping the event loop', async () => {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const results = await Promise.allSettled([count(), count(), insert('a'), insert('b'), count()]);
  clearInterval(counting);
  const refusal = { code: 'SERVICE_UNAVAILABLE', engineCode: 'SQLITE_BUSY' };
  expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: expect.objectContaining(refusal) })));
  expect(turns).toBeGreaterThan(5);
  other.exec('rollback');
  other.close();
  expect(await insert()).toBe('reserved');
  await count();
});

it('leaves errors of our own statements as they are', async () => {
  await insert();
  await expect(insert()).rejects.toMatchObject({ code: 'ERR_SQLITE_ERROR' });
});
