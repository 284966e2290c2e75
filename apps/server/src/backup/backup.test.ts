// What a backup has, and what a server makes of it after a restore. Real SQLite and a real disk.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp, entriesOf, freshScratch, keysOnDisk, modesIn, restoreTo, rowsOf } from '../../testing/backups.ts';
import { groupFormat2, newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestOptions, type TestServer } from '../../testing/test-server.ts';
import { testTools } from '../../testing/test-tools.ts';
import { migratorOf } from '../adapters/sql/migrations.ts';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.ts';
import { dataPaths, openDataFolder, tryToLock } from '../config/data-folder.ts';
import { embeddedStores } from '../open-stores.ts';
import type { ObjectFiles } from '../ports/backup.ts';
import { reconcile } from '../services/reconcile.ts';
import { sweep } from '../services/deletion.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const scratch = freshScratch();
let server: TestServer;
let client: TestClient;
let restored: TestServer | undefined;
beforeEach(async () => {
  server = await createTestServer();
  client = new TestClient(server);
  restored = undefined;
});
afterEach(async () => {
  await restored?.stop();
  await server.close();
});

const someBytes = (length = 2000) => new Uint8Array(randomBytes(length));
const dataFileOf = (folder: string, key: string) => join(folder, 'objects', key.slice(0, 2), key, 'data');

/** Restores the archive and starts a server on it, to which clients of the first one talk from now on. */
async function restart(file: string, options: TestOptions = {}): Promise<TestServer> {
  await restoreTo(scratch('restored'), file);
  restored = await createTestServer({ dataDir: scratch('restored'), ...options });
  return restored;
}

/** A client that first talks to the server, and then to the restored one, with the same cookie. */
function movingClient(): TestClient {
  return new TestClient({ url: server.url, fetch: (url, init) => (restored ?? server).fetch(url, init) });
}

/** Calls `before` before the first object is opened: after the database was copied. */
function beforeObjects(before: () => Promise<unknown>): { embedded: ReturnType<typeof testTools>['embedded'] } {
  const { embedded } = testTools(server.folder);
  let done: Promise<unknown> | undefined;
  const objectFiles: ObjectFiles = {
    ...embedded.objectFiles,
    async open(key, size) {
      await (done ??= before());
      return embedded.objectFiles.open(key, size);
    },
  };
  return { embedded: { ...embedded, objectFiles } };
}

describe('after a restore', () => {
  it('files, pages, lists, counters, grants, reports and messages are as they were', async () => {
    const [sender, recipient, other] = [movingClient(), movingClient(), movingClient()];
    const plain = await sender.send(someBytes(), { downloadLimit: 1 });
    const transfer = await newTransfer();
    const files = [
      await sendFormat2(sender, transfer, someBytes()),
      await sendFormat2(sender, transfer, someBytes(), { hiddenAs: 1 }),
    ];
    const { pageID, list } = await groupFormat2(sender, transfer, files, { message: 'hello' });
    const page = (await sender.get(`/download/page/${pageID}`)).body;
    const { presignedUrl } = (await recipient.get(`/download/${plain.id}`)).body;
    const stored = await readFile(dataFileOf(server.folder, plain.fileKey));
    await sender.post('/report', { pageID, reason: 'a reason' });
    await sender.post('/contact', { name: 'a', email: 'a@example.org', message: 'a message' });

    const report = await backUp(server.folder, scratch('a.tar'));
    expect(report.json).toMatchObject({ file: scratch('a.tar'), files: 3, openUploads: 0, deleted: 0, lost: 0 });
    await sender.send(someBytes());
    const { context } = await restart(scratch('a.tar'));

    expect((await sender.get(`/download/page/${pageID}`)).body).toEqual(page);
    expect(page.list).toBe(list);
    // The secret is the same, so what was signed before still counts.
    const response = await restored!.fetch(presignedUrl);
    expect(Buffer.from(await response.arrayBuffer()).equals(stored)).toBe(true);
    // The recipient's grant is there, and the only download is counted.
    expect((await recipient.get(`/download/${plain.id}`)).status).toBe(200);
    expect((await other.get(`/download/${plain.id}`)).body.errorCode).toBe('DOWNLOAD_LIMIT_REACHED');
    expect((await recipient.get(`/download/${files[0]?.id}`, transfer.proof)).status).toBe(200);
    expect((await recipient.get(`/download/${files[1]?.id}`)).status).toBe(401);
    expect(await context.metadata.tally()).toMatchObject({ liveFiles: 3, openUploads: 0, doomedFiles: 0 });
    expect((await context.metadata.listReports(9)).map(({ reason }) => reason)).toEqual(['a reason']);
    expect((await context.metadata.listMessages(9)).map(({ text }) => text)).toEqual([
      expect.stringContaining('a message'),
    ]);
  });

  it('nothing is missing and nothing is left over, in files that only their owner can read', async () => {
    for (let n = 0; n < 3; n += 1) await client.send(someBytes());
    const { storedBytes: counted } = await server.context.metadata.tally();
    await client.init();
    await backUp(server.folder, scratch('a.tar'));
    const { context, wait } = await restart(scratch('a.tar'));
    const keys = rowsOf(scratch('restored'), 'files').map((row) => String(row['file_key']));
    expect(await keysOnDisk(scratch('restored'))).toEqual(keys.toSorted());
    const { storedBytes } = await context.metadata.tally();
    expect(storedBytes).toBe(counted);
    wait(2 * HOUR_MS);
    expect(await reconcile(context, { object: '', row: '' }, 100)).toMatchObject({ orphans: 0, lost: 0, failures: [] });
    // The server's own files have the mode of its umask, which this process does not set.
    await restored?.stop();
    await restoreTo(scratch('other'), scratch('a.tar'));
    expect(await modesIn(scratch('other'))).toEqual({ files: new Set(['600']), folders: new Set(['700']) });
    expect((await stat(scratch('other'))).mode & 0o777).toBe(0o700);
    expect((await stat(scratch('a.tar'))).mode & 0o777).toBe(0o600);
  });

  it('an upload that was under way is gone for good, and its space is free', async () => {
    const sender = movingClient();
    const { body: open } = await sender.init();
    const { body: secret } = await sender.post('/upload/resume-secret');
    const ids = { uploadId: open.uploadId, fileKey: open.fileKey };
    expect((await backUp(server.folder, scratch('a.tar'))).json).toMatchObject({
      files: 0,
      openUploads: 1,
      deleted: 0,
    });
    const { context } = await restart(scratch('a.tar'));
    expect(await context.metadata.tally()).toMatchObject({ liveFiles: 0, openUploads: 0, storedBytes: 0 });
    const refused = [
      await sender.post('/upload/status', ids),
      await sender.post('/upload/presigned-url', { ...ids, partNumber: 1 }),
      await sender.get(`/upload/resume-secret/${secret.id}`),
    ];
    expect(refused.map(({ status, body }) => [status, body.errorCode])).toEqual(refused.map(() => [404, 'NOT_FOUND']));
    expect((await sender.put(open.presignedUrl, someBytes(1028))).status).toBe(404);
    expect((await sender.init()).status).toBe(200);
  });

  it('files expire at the same moment as before, and the sweep removes them', async () => {
    const sender = movingClient();
    const file = await sender.send(someBytes(), { retentionPeriod: 1 });
    const { expiresAtMs } = (await server.context.metadata.findFile(file.id, { clientHash: '', nowMs: 0 }))!;
    await backUp(server.folder, scratch('a.tar'));
    const { wait, context } = await restart(scratch('a.tar'));
    expect((await sender.get(`/download/info/${file.id}`)).status).toBe(200);
    wait(expiresAtMs - Date.now());
    expect((await sender.get(`/download/info/${file.id}`)).status).toBe(404);
    await sweep(context, 10);
    expect(await keysOnDisk(scratch('restored'))).toEqual([]);
    expect(await context.metadata.tally()).toMatchObject({ liveFiles: 0, storedBytes: 0 });
  });

  it('links and grants work with another secret too', async () => {
    const [sender, recipient] = [movingClient(), movingClient()];
    const file = await sender.send(someBytes(), { downloadLimit: 1 });
    const { presignedUrl } = (await recipient.get(`/download/${file.id}`)).body;
    const { json } = await backUp(server.folder, scratch('a.tar'), {}, { SECRET: 'x'.repeat(32) });
    expect(json).toMatchObject({ files: 1 });
    expect(await entriesOf(scratch('a.tar'))).not.toContain('secret');
    const { lines } = await restoreTo(scratch('unused'), scratch('a.tar'));
    expect(lines[0]).toContain('it has no secret: set SECRET as when the backup was made');
    await restart(scratch('a.tar'), { config: { BASE_PATH: '/files' } });
    const moved = new TestClient({ url: `${server.url}/files`, fetch: restored!.fetch });
    expect((await moved.get(`/download/page/${file.pageID}`)).body.files).toHaveLength(1);
    expect((await restored!.fetch(presignedUrl)).status).toBeGreaterThanOrEqual(400);
    expect((await moved.get(`/download/${file.id}`)).body.errorCode).toBe('DOWNLOAD_LIMIT_REACHED');
    const again = await moved.get(`/download/${file.id}`, { cookie: recipient.cookie });
    expect(again.status).toBe(200);
    expect((await restored!.fetch(again.body.presignedUrl)).status).toBe(200);
  });
});

describe('the archive', () => {
  it('has no trace of what was deleted, has expired or was under way, nor of resume secrets', async () => {
    const gone: string[] = [];
    const kept: string[] = [];
    const named = () => `${randomBytes(12).toString('hex')}.txt`;
    for (let n = 0; n < 40; n += 1) {
      const fileName = named();
      const isKept = n % 4 === 0;
      const file = await client.send(someBytes(10), { fileName, retentionPeriod: isKept || n % 4 === 1 ? 3 : 1 });
      (isKept ? kept : gone).push(fileName, file.pageID);
      if (n % 4 === 1) await client.delete(`/download/${file.id}`);
    }
    const fileName = named();
    await client.init({ fileName });
    gone.push(fileName, (await client.post('/upload/resume-secret')).body.secret);
    const clock = { nowMs: () => Date.now() + 1.5 * DAY_MS };
    const tools = testTools(server.folder);
    const late = embeddedStores(tools.config, tools.paths, clock);
    const { json } = await backUp(server.folder, scratch('a.tar'), { clock, embedded: late });
    expect(json).toMatchObject({ files: 10 });
    const archive = await readFile(scratch('a.tar'));
    expect(gone.filter((text) => archive.includes(text))).toEqual([]);
    expect(kept.filter((text) => archive.includes(text))).toEqual(kept);
    expect(existsSync(dataPaths(server.folder).backup)).toBe(false);
  });

  it('leaves out files that are deleted while it is made, with their grants and their page', async () => {
    const transfer = await newTransfer();
    const files = [];
    for (let n = 0; n < 4; n += 1) files.push(await sendFormat2(client, transfer, someBytes()));
    const [kept, ...others] = files.toSorted((a, b) => (a.fileKey < b.fileKey ? -1 : 1));
    const { list } = await groupFormat2(client, transfer, others);
    for (const { id } of files) await client.get(`/download/${id}`, transfer.proof);
    const deleteOthers = async () => {
      for (const { id } of others) await client.delete(`/download/${id}`);
    };
    const report = await backUp(server.folder, scratch('a.tar'), beforeObjects(deleteOthers));
    expect(report).toMatchObject({ json: { files: 1, deleted: 3, lost: 0 }, isBad: false });
    expect(report.lines[0]).toMatch(/\/a\.tar \(left out: 3 files deleted meanwhile\)$/u);
    expect((await readFile(scratch('a.tar'))).includes(list)).toBe(false);
    await restoreTo(scratch('restored'), scratch('a.tar'));
    expect(rowsOf(scratch('restored'), 'files').map((row) => row['id'])).toEqual([kept?.id]);
    expect(rowsOf(scratch('restored'), 'grants').map((row) => row['file_id'])).toEqual([kept?.id]);
    expect(rowsOf(scratch('restored'), 'pages')).toEqual([]);
    expect(rowsOf(scratch('restored'), 'usage')).toMatchObject([{ files: 1, stored_bytes: 2028 }]);
  });

  it('leaves out, and reports, files whose bytes are missing or damaged', async () => {
    const [whole, missing, short] = [
      await client.send(someBytes()),
      await client.send(someBytes()),
      await client.send(someBytes()),
    ];
    await rm(dataFileOf(server.folder, missing.fileKey));
    await truncate(dataFileOf(server.folder, short.fileKey), 100);
    const report = await backUp(server.folder, scratch('a.tar'));
    expect(report).toMatchObject({ json: { files: 1, deleted: 0, lost: 2 }, isBad: true });
    expect(report.lines[0]).toContain('2 files whose bytes are missing or damaged');
    await restart(scratch('a.tar'));
    expect(rowsOf(scratch('restored'), 'files').map((row) => row['id'])).toEqual([whole.id]);
  });

  it('can be checked and unpacked without us, into a folder that a server starts on', async () => {
    const file = await movingClient().send(someBytes());
    await backUp(server.folder, scratch('a.tar'));
    await mkdir(scratch('unpacked'), { mode: 0o700 });
    execFileSync('tar', ['-xf', scratch('a.tar'), '-C', scratch('unpacked')]);
    const cwd = scratch('unpacked');
    expect(execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd }).toString()).toContain(
      'furoshiki.db: OK',
    );
    const names = (await readFile(join(cwd, 'SHA256SUMS'), 'utf8')).match(/(?<= {2})\S+$/gmu);
    expect([...(names ?? []), 'SHA256SUMS']).toEqual(await entriesOf(scratch('a.tar')));
    restored = await createTestServer({ dataDir: cwd });
    expect((await movingClient().get(`/download/${file.id}`)).status).toBe(200);
  });

  it('is of the version that wrote the database, and the next start brings it up to date', async () => {
    const { database, objects } = await openDataFolder(scratch('old'));
    const { db } = openSqlite(database);
    await migratorOf(db).migrateTo('002-usage-and-volumes');
    const key = 'k'.repeat(22);
    await sql`insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type,
      chunk_size, is_encrypted, max_downloads, retention_days, created_at_ms, expires_at_ms, page_id)
      values ('file', ${key}, 'u', 'live', 'old.txt', 3, 31, '', 3, 1, 5, 1, 0, ${Date.now() + DAY_MS}, 'page')`.execute(
      db,
    );
    await db.destroy();
    await mkdir(join(objects, 'kk', key), { recursive: true });
    await writeFile(join(objects, 'kk', key, 'data'), someBytes(31));
    await writeFile(join(objects, 'kk', key, 'parts'), '\n{"sealed":true}\n');
    await rm(dataPaths(scratch('old')).unclaimed);
    expect((await backUp(scratch('old'), scratch('a.tar'))).json).toMatchObject({ files: 1 });
    const before = rowsOf(scratch('old'), 'kysely_migration').map((row) => row['name']);
    expect(before).toEqual(['001-files-and-grants', '002-usage-and-volumes']);
    const { context } = await restart(scratch('a.tar'));
    expect(await context.metadata.tally()).toMatchObject({ liveFiles: 1, storedBytes: 31 });
    expect((await client.get('/config')).status).toBe(200);
  });
});

describe('a backup is refused', () => {
  it('if its file exists, or is being written', async () => {
    await writeFile(scratch('a.tar'), 'another');
    await expect(backUp(server.folder, scratch('a.tar'))).rejects.toThrowError('a.tar exists: choose another name');
    expect(await readFile(scratch('a.tar'), 'utf8')).toBe('another');
    await writeFile(scratch('b.tar.part'), 'part');
    await expect(backUp(server.folder, scratch('b.tar'))).rejects.toThrowError('b.tar.part exists: another backup is');
    expect(await readFile(scratch('b.tar.part'), 'utf8')).toBe('part');
  });

  it('if its file is created while it is made, which stays', async () => {
    await client.send(someBytes());
    const bent = beforeObjects(() => writeFile(scratch('a.tar'), 'another'));
    await expect(backUp(server.folder, scratch('a.tar'), bent)).rejects.toThrowError('a.tar exists');
    expect(await readFile(scratch('a.tar'), 'utf8')).toBe('another');
    expect(existsSync(scratch('a.tar.part'))).toBe(false);
  });

  it('if another one is being made, whose copy of the database is removed if it was killed', async () => {
    const { backup, backupLock } = dataPaths(server.folder);
    const held = tryToLock(backupLock);
    await mkdir(backup);
    await expect(backUp(server.folder, scratch('a.tar'))).rejects.toThrowError('another backup of');
    // A server that starts meanwhile leaves it alone, too.
    await server.stop();
    await (await createTestServer({ dataDir: server.folder })).stop();
    expect(existsSync(backup)).toBe(true);
    held?.release();
    await (await createTestServer({ dataDir: server.folder })).stop();
    expect(existsSync(backup)).toBe(false);
    await mkdir(backup);
    await writeFile(join(backup, 'snapshot.db'), 'a name');
    await backUp(server.folder, scratch('a.tar'));
    expect(existsSync(backup)).toBe(false);
  });

  it('if the disk with the files is not mounted, or is unmounted meanwhile', async () => {
    await client.send(someBytes());
    const bent = beforeObjects(() => rm(dataPaths(server.folder).objects, { recursive: true }));
    await expect(backUp(server.folder, scratch('a.tar'), bent)).rejects.toThrowError('is its disk mounted?');
    await expect(backUp(server.folder, scratch('a.tar'))).rejects.toThrowError('is its disk mounted?');
    expect([existsSync(scratch('a.tar')), existsSync(scratch('a.tar.part'))]).toEqual([false, false]);
  });

  it('if there is no database, or one of a newer version', async () => {
    await expect(backUp(scratch('none'), scratch('a.tar'))).rejects.toThrowError('there is no database in DATA_DIR');
    const { db } = openSqlite(dataPaths(server.folder).database);
    await sql`insert into kysely_migration values ('999-later', '2030-01-01')`.execute(db);
    await db.destroy();
    await expect(backUp(server.folder, scratch('a.tar'))).rejects.toThrowError('is from a newer version of Furoshiki');
    expect(existsSync(scratch('a.tar'))).toBe(false);
  });

  const DATABASE_URL = 'postgres://127.0.0.1:1/none';
  it.each<[Record<string, string>, string, string]>([
    [{ DATABASE_URL }, 'DATABASE_URL is set: use pg_dump, and rsync', 'use pg_restore, and rsync'],
    [{ S3_BUCKET: 'b' }, 'S3_BUCKET is set: use `.backup` of sqlite3, and rclone', 'use `.restore` of sqlite3'],
    [
      { DATABASE_URL, S3_BUCKET: 'b' },
      'DATABASE_URL and S3_BUCKET are set: use pg_dump, and rclone',
      'pg_restore, and',
    ],
  ])('with %j, and so is a restore', async (settings, forBackup, forRestore) => {
    await expect(backUp(server.folder, scratch('a.tar'), {}, settings)).rejects.toThrowError(forBackup);
    await expect(restoreTo(scratch('new'), scratch('a.tar'), {}, settings)).rejects.toThrowError(forRestore);
    expect(existsSync(scratch('new'))).toBe(false);
  });
});
