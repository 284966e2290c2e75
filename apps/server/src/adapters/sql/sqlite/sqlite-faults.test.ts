import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUpload } from '../../../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../../../testing/no-limits.ts';
import type { MetadataStore } from '../../../ports/metadata-store.ts';
import { createSqlMetadataStore, inspectDatabase } from '../metadata-store.ts';
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
  await store.tally();
});

it('does not respond to a ping if its file is gone, although SQLite still has it open', async () => {
  await rename(path, `${path}-away`);
  await count();
  await expect(store.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', engineCode: 'ENOENT' });
  await rename(`${path}-away`, path);
  await store.ping();
});

const disk = mkdtempSync(join(tmpdir(), 'furoshiki-sqlite-disk-'));
const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
const isMounted = mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk);
afterAll(async () => {
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  await rm(disk, { recursive: true });
});

// Only root can mount, and in a container only with that right. The fault matrix says which faults were not tried.
describe.each(isMounted ? ['a small disk'] : [])('on %s', () => {
  it('finds out by a try that it is full', async () => {
    const small = openSqlite(join(disk, 'test.db'));
    const server = await createSqlMetadataStore(small);
    // SQLite reuses the space of its log.
    await sql`pragma wal_checkpoint(truncate)`.execute(small.db);
    await expect(writeFile(join(disk, 'filler'), Buffer.alloc(4_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
    const { metadata } = await inspectDatabase(openSqlite(join(disk, 'test.db')));
    await metadata?.ping();
    await expect(metadata?.tryWriting()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', engineCode: 'SQLITE_FULL' });
    await metadata?.close();
    await server.close();
    await rm(join(disk, 'filler'));
  });

  it('does not respond to a ping if it is read-only', async () => {
    const small = await createSqlMetadataStore(openSqlite(join(disk, 'test.db')));
    await small.ping();
    expect([mount('--bind', disk, disk), mount('-o', 'remount,bind,ro', disk)]).toEqual([true, true]);
    await expect(small.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', engineCode: 'EROFS' });
    spawnSync('umount', [disk]);
    await small.ping();
    await small.close();
  });
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
