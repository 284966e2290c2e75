import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { describeUpgrade } from '../../../../testing/upgrade.ts';
import { describeMetadataStore } from '../../../../testing/contracts/metadata-store.contract.ts';
import { createSqlMetadataStore } from '../metadata-store.ts';
import { migratorOf } from '../migrations.ts';
import { doomRecords, MAX_REWRITTEN_PAGES } from '../records/doom-records.ts';
import { openSqlite } from './sqlite.ts';

async function inFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-sqlite-'));
  return { path: join(folder, 'test.db'), remove: () => rm(folder, { recursive: true }) };
}

describeMetadataStore('SQLite', async () => {
  const { path, remove } = await inFolder();
  const store = await createSqlMetadataStore(openSqlite(path));
  return {
    store,
    async discard() {
      await store.close();
      await remove();
    },
  };
});

describeUpgrade('SQLite', async () => {
  const { path, remove } = await inFolder();
  return { open: () => openSqlite(path), discard: remove };
});

it('uses a write-ahead log and syncs every commit, so that acknowledged writes survive a power cut', async () => {
  const { path, remove } = await inFolder();
  const { db } = openSqlite(path);
  const settings = await sql<
    Record<string, unknown>
  >`select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db);
  expect(settings.rows[0]).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 });
  await db.destroy();
  await remove();
});

it.each([
  ['reports', 1e9, 'damaged'],
  ['reports', 0, 'damaged'],
  ['files', 1e9, 'damaged'],
  ['files', 0, 'not read'],
])(
  'finds that the table %s is damaged, in a database of which %i bytes may be read: %s',
  async (table, maxBytes, state) => {
    const { path, remove } = await inFolder();
    await (await createSqlMetadataStore(openSqlite(path))).close();
    const database = new DatabaseSync(path);
    const root = Number(database.prepare('select rootpage from sqlite_schema where name = ?').get(table)?.['rootpage']);
    database.close();
    const bytes = await readFile(path);
    // Sets the number of cells on the first page of the table too high.
    bytes.writeUInt16BE(9999, (root - 1) * bytes.readUInt16BE(16) + 3);
    await writeFile(path, bytes);
    const store = await createSqlMetadataStore(openSqlite(path));
    const found = await store.findDamage(maxBytes).catch(() => ({ damage: ['malformed'], unread: [] as string[] }));
    const notDamaged = found.unread.includes(table) ? 'not read' : 'whole';
    expect(found.damage.length > 0 ? 'damaged' : notDamaged).toBe(state);
    await store.close();
    await remove();
  },
);

it('counts the files of a database that is older than the counter', async () => {
  const { path, remove } = await inFolder();
  const { db: old } = openSqlite(path);
  await migratorOf(old).migrateTo('002-usage-and-volumes');
  await sql`insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type,
    chunk_size, is_encrypted, max_downloads, retention_days, expires_at_ms)
    values ('a', 'a', 'a', 'live', 'a', 1, 1, '', 1, 1, 1, 1, 1)`.execute(old);
  await old.destroy();
  const migrated = await createSqlMetadataStore(openSqlite(path));
  expect((await migrated.tally()).liveFiles).toBe(1);
  await migrated.close();
  await remove();
});

it('locks at the start of a transaction, so that no other process writes between its read and its write', async () => {
  const { path, remove } = await inFolder();
  const { db } = openSqlite(path);
  await migratorOf(db).migrateToLatest();
  const other = new DatabaseSync(path, { timeout: 0 });
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('usage').selectAll().execute();
    expect(() => other.exec('update usage set files = 7')).toThrow('database is locked');
    await trx.updateTable('usage').set({ files: 1 }).execute();
  });
  other.exec('update usage set files = 7');
  other.close();
  await db.destroy();
  await remove();
});

it('reads every committed write, also of another process, and no uncommitted one', async () => {
  const { path, remove } = await inFolder();
  const { db, reader } = openSqlite(path);
  await migratorOf(db).migrateToLatest();
  const other = new DatabaseSync(path);
  const countOfFiles = async () => {
    const { rows } = await reader.executeQuery<{ files: number }>(db.selectFrom('usage').select('files').compile());
    return rows[0]?.files;
  };
  expect(await countOfFiles()).toBe(0);
  await db.updateTable('usage').set({ files: 1 }).execute();
  expect(await countOfFiles()).toBe(1);
  let concurrentCount: Promise<number | undefined> | undefined;
  const rolledBack = db.transaction().execute(async (trx) => {
    await trx.updateTable('usage').set({ files: 9 }).execute();
    concurrentCount = countOfFiles();
    throw new Error('undo');
  });
  await expect(rolledBack).rejects.toThrowError('undo');
  expect(await concurrentCount).toBe(1);
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('usage').set({ files: 2 }).execute();
    concurrentCount = countOfFiles();
  });
  expect(await concurrentCount).toBe(2);
  other.exec('update usage set files = 3');
  await setImmediate(); // the reads of one turn of the event loop see the same state
  expect(await countOfFiles()).toBe(3);
  other.close();
  await db.destroy();
  await remove();
});

it('closes directly after a read', async () => {
  const { path, remove } = await inFolder();
  const { db, reader } = openSqlite(path);
  await migratorOf(db).migrateToLatest();
  const { rows } = await reader.executeQuery(db.selectFrom('usage').selectAll().compile());
  expect(rows).toHaveLength(1);
  await db.destroy();
  // The snapshot of the read would end now. Its end must neither fail nor leave a log behind.
  await setImmediate();
  expect(existsSync(`${path}-wal`)).toBe(false);
  await remove();
});

it('leaves its log as it is while another process reads, instead of stopping the event loop, and empties it later', async () => {
  const { path, remove } = await inFolder();
  // Waiting for the reader would take longer than a test may.
  const store = await createSqlMetadataStore(openSqlite(path, undefined, 120_000));
  const logBytes = async () => (await stat(`${path}-wal`)).size;
  await store.countHit('a', 0, 1);
  const reader = new DatabaseSync(path);
  reader.exec('begin; select * from rates');
  await store.countHit('b', 0, 1);
  await store.eraseTraces(0);
  expect(await logBytes()).toBeGreaterThan(0);
  reader.close();
  await store.eraseTraces(0);
  expect(await logBytes()).toBe(0);
  await store.close();
  await remove();
});

it('is as it was if it cannot be brought up to date, and can be once the cause is gone', async () => {
  const { path, remove } = await inFolder();
  const { db } = openSqlite(path);
  await migratorOf(db).migrateTo('002-usage-and-volumes');
  await db.destroy();
  const tables = (database: DatabaseSync) =>
    database
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => name);
  const other = new DatabaseSync(path);
  const before = tables(other);
  // Created by a late migration.
  other.exec('create table instance (id text)');
  await expect(createSqlMetadataStore(openSqlite(path))).rejects.toThrow('could not be brought up to date');
  other.exec('drop table instance');
  expect(tables(other)).toEqual(before);
  other.close();
  await (await createSqlMetadataStore(openSqlite(path))).close();
  await remove();
});

it('copies a long log into the database in another thread, while writes go on', async () => {
  const { path, remove } = await inFolder();
  const statements: string[] = [];
  const store = await createSqlMetadataStore(openSqlite(path, (text) => statements.push(text)));
  const other = new DatabaseSync(path);
  const log = () => other.prepare('pragma wal_checkpoint(noop)').get() as { log: number; checkpointed: number };
  const text = 'x'.repeat(400_000);
  const write = (n: number) => store.addMessage({ id: `${n}`, subject: '', text, replyTo: undefined, createdAtMs: 0 });
  for (let n = 0; n < 9; n += 1) await write(n);
  expect(log()).toEqual({ busy: 0, log: expect.any(Number), checkpointed: 0 });
  await write(9);
  await write(10);
  await expect.poll(() => log().checkpointed).toBeGreaterThan(1000);
  expect(statements.filter((statement) => statement.includes('passive'))).toEqual([]);
  other.close();
  await store.close();
  await remove();
});

describe('the file of a database', () => {
  const pragma = (path: string, name: string) => {
    const database = new DatabaseSync(path);
    const value = Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
    database.close();
    return value;
  };
  const fill = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec(`create table if not exists large (bytes blob);
      insert into large with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
        select zeroblob(4000) from n;
      delete from large`);
    database.close();
  };

  it('shrinks after rows are deleted, without a rewrite', async () => {
    const { path, remove } = await inFolder();
    const database = openSqlite(path);
    const store = await createSqlMetadataStore(database);
    fill(path);
    const { file } = database;
    if (!file) throw new Error('SQLite has a file');
    expect((await file.pages()).free).toBeGreaterThan(900);
    const before = (await file.pages()).all;
    const rewrite = vi.spyOn(file, 'rewrite').mockResolvedValue();
    await store.eraseTraces(0);
    expect(rewrite).toHaveBeenCalledOnce();
    const { all, free } = await file.pages();
    expect([free, all]).toEqual([0, expect.any(Number)]);
    expect(all).toBeLessThan(before - 900);
    await store.close();
    await remove();
  });

  it('is rewritten in another thread if an older version has created it, and shrinks from then on', async () => {
    const { path, remove } = await inFolder();
    const old = new DatabaseSync(path);
    old.exec('pragma journal_mode = wal; pragma user_version = 1; create table old (id text)');
    old.close();
    const statements: string[] = [];
    const database = openSqlite(path, (text) => statements.push(text));
    const store = await createSqlMetadataStore(database);
    fill(path);
    expect(pragma(path, 'auto_vacuum')).toBe(0);
    const executed = vi.spyOn(DatabaseSync.prototype, 'exec');
    // A write of the server waits for the thread, and neither of them fails.
    const [, { hits }] = await Promise.all([store.eraseTraces(0), store.countHit('a', 0, 1)]);
    expect(hits).toBe(1);
    expect([pragma(path, 'auto_vacuum'), pragma(path, 'freelist_count')]).toEqual([2, 0]);
    fill(path);
    await store.countHit('b', 0, 1);
    await store.eraseTraces(1);
    expect([pragma(path, 'integrity_check'), pragma(path, 'freelist_count')]).toEqual(['ok', 0]);
    const ofThisThread = [...statements, ...executed.mock.calls.map(([text]) => text)];
    expect(ofThisThread.filter((text) => /\bvacuum\b/iu.test(text))).toEqual([]);
    await store.close();
    await remove();
  });

  it('is given back in steps of few pages, and is not rewritten if that would keep writers waiting for long', async () => {
    const { path, remove } = await inFolder();
    const database = openSqlite(path);
    await migratorOf(database.db).migrateToLatest();
    const steps: number[] = [];
    let rewrites = 0;
    let free = 1000;
    const records = (all: number) =>
      doomRecords({
        ...database,
        file: {
          pages: async () => ({ all, free }),
          async shrink(pages) {
            steps.push(pages);
            free = Math.max(0, free - pages);
          },
          async rewrite() {
            rewrites += 1;
          },
          async emptyLog() {},
        },
      });
    expect(MAX_REWRITTEN_PAGES * 4096).toBeLessThanOrEqual(100 * 1024 ** 2);
    await records(MAX_REWRITTEN_PAGES + 1).eraseTraces(0);
    expect([Math.max(...steps) <= 64, free, rewrites]).toEqual([true, 0, 0]);
    await records(MAX_REWRITTEN_PAGES).eraseTraces(0);
    expect(rewrites).toBe(1);
    await database.db.destroy();
    await remove();
  });
});

it('opens a database that is already migrated', async () => {
  const { path, remove } = await inFolder();
  const ids: string[] = [];
  for (const _ of [1, 2]) {
    const store = await createSqlMetadataStore(openSqlite(path));
    ids.push(await store.databaseId());
    await store.close();
  }
  expect(ids[1]).toBe(ids[0]);
  await remove();
});

describe('writes that wait for each other', () => {
  async function setUp() {
    const { path, remove } = await inFolder();
    const { db } = openSqlite(path);
    await migratorOf(db).migrateToLatest();
    const reader = new DatabaseSync(path);
    const committed = () => reader.prepare('select files from usage').get()?.['files'];
    const increment = (trx: typeof db) =>
      trx
        .updateTable('usage')
        .set((eb) => ({ files: eb('files', '+', 1) }))
        .execute();
    const close = async () => {
      reader.close();
      await db.destroy();
      await remove();
    };
    return { db, path, committed, increment, close };
  }

  it('are committed together, and acknowledged after the commit', async () => {
    const { db, committed, increment, close } = await setUp();
    const seen: unknown[] = [];
    const acknowledge = () => void seen.push(committed());
    await Promise.all([
      increment(db).then(acknowledge),
      increment(db).then(acknowledge),
      db.transaction().execute(increment).then(acknowledge),
      increment(db).then(acknowledge),
    ]);
    expect(seen).toEqual([4, 4, 4, 4]);
    await close();
  });

  it('fail alone', async () => {
    const { db, committed, increment, close } = await setUp();
    const undone = db.transaction().execute(async (trx) => {
      await increment(trx);
      throw new Error('undo');
    });
    const refused = db
      .insertInto('grants')
      .values({ file_id: 'missing' } as never)
      .execute();
    const results = await Promise.allSettled([increment(db), undone, refused, increment(db)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(committed()).toBe(2);
    await close();
  });

  it('are kept if they were acknowledged before the disk was full, and work again after it', async () => {
    const { db, committed, increment, close } = await setUp();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 1)}`.execute(db);
    const fill = () =>
      sql`update usage set files = files + 1`
        .execute(db)
        .then(() => sql`create table large as select zeroblob(1000000)`.execute(db));
    await expect(fill()).rejects.toThrowError('full');
    const large = db.transaction().execute(async (trx) => {
      await increment(trx);
      await sql`create table large as select zeroblob(1000000)`.execute(trx);
    });
    const results = await Promise.allSettled([increment(db), increment(db), large]);
    expect(results.map(({ status }) => status)).toContain('rejected');
    const acknowledged = results.filter(({ status }) => status === 'fulfilled').length;
    expect(committed()).toBe(1 + acknowledged);
    await increment(db);
    expect(committed()).toBe(2 + acknowledged);
    await close();
  });

  it('wait for another process without stopping the event loop', async () => {
    const { db, path, committed, increment, close } = await setUp();
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const written = db.transaction().execute(increment);
    await setImmediate();
    expect(committed()).toBe(0);
    other.exec('commit');
    other.close();
    await written;
    expect(committed()).toBe(1);
    await close();
  });
});
