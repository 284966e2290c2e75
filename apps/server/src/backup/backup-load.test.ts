// Backups of a server under load: clients upload, download and delete all the time. Each archive is restored and served.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CACHE } from '../../../../scripts/paths.mjs';
import { keysOnDisk, rowsOf } from '../../testing/backups.ts';
import { completeUpload } from '../../testing/faults/subject.ts';
import { NO_RATE_LIMITS } from '../../testing/no-rate-limits.ts';
import type { NamedFinding } from '../../testing/patient.ts';
import { runToExit, startServerProcess } from '../../testing/process.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { reconcile } from '../services/reconcile.ts';

/** `npm run test:long` sets LONG_TESTS. */
const [BACKUPS, CLIENTS, MAX_BYTES] = process.env['LONG_TESTS'] === undefined ? [2, 4, 100_000] : [25, 8, 3_000_000];
/** Of AES-GCM. The server does not open it. */
const OVERHEAD = 28;
const HOUR_MS = 3_600_000;
/** All processes run the same code, so its compiled form is kept. */
const NODE_COMPILE_CACHE = join(CACHE, 'compiled');
const SETTINGS = { ...NO_RATE_LIMITS, MIN_FREE_DISK_BYTES: '0', NODE_COMPILE_CACHE };

interface SentFile {
  hash: string;
  /** Downloads that were asked for, and those that were granted. */
  asked: number;
  granted: number;
  deletion: 'none' | 'asked' | 'done';
}

type Sent = Map<string, SentFile>;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function upload(client: TestClient, sent: Sent): Promise<void> {
  const sealed = randomBytes(randomInt(1, MAX_BYTES) + OVERHEAD);
  const { body } = await client.init({ fileSize: sealed.length - OVERHEAD, downloadLimit: 100 });
  // Some are never sent or completed.
  if (randomInt(10) === 0) return void (await client.post('/upload/cancel', body));
  if (randomInt(20) === 0) return;
  const etag = (await client.put(body.presignedUrl, sealed)).headers.get('etag') ?? '';
  const reply = await completeUpload(client, { ...body, sealed, etag });
  expect(reply.status).toBe(200);
  const file = { hash: hashOf(sealed), asked: 0, granted: 0, deletion: 'none' } as const;
  sent.set(reply.body.downloadId, { ...file });
}

async function download(url: string, id: string): Promise<string | undefined> {
  const { status, body } = await new TestClient(url).get(`/download/${id}`);
  if (status !== 200) return undefined;
  return hashOf(new Uint8Array(await (await fetch(body.presignedUrl)).arrayBuffer()));
}

/** One client: uploads, downloads and deletes its own files until `isOver`. */
async function work(url: string, all: Sent, isOver: () => boolean): Promise<void> {
  const client = new TestClient(url);
  const own: Sent = new Map();
  while (!isOver()) {
    const before = own.size;
    await upload(client, own);
    const newest = [...own].at(-1);
    if (own.size > before && newest) all.set(...newest);
    const alive = [...own].filter(([, { deletion }]) => deletion === 'none');
    const [id, file] = alive[randomInt(alive.length + 1)] ?? [];
    if (id === undefined || !file) continue;
    if (randomInt(2) === 0) await downloadOwn(url, id, file);
    else await deleteOwn(client, id, file);
  }
}

async function downloadOwn(url: string, id: string, file: SentFile): Promise<void> {
  file.asked += 1;
  expect(await download(url, id)).toBe(file.hash);
  file.granted += 1;
}

async function deleteOwn(client: TestClient, id: string, file: SentFile): Promise<void> {
  file.deletion = 'asked';
  expect((await client.delete(`/download/${id}`)).status).toBe(200);
  file.deletion = 'done';
}

interface Made {
  archive: string;
  /** Files that were there from its begin to its end, with the downloads that were granted before. */
  certain: Map<string, number>;
  /** Files that were deleted before it began. */
  deleted: Set<string>;
  asked: Map<string, number>;
}

async function backUp(folder: string, archive: string, sent: Sent): Promise<Made> {
  const alive = [...sent].filter(([, { deletion }]) => deletion === 'none');
  const granted = new Map(alive.map(([id, file]) => [id, file.granted]));
  const deleted = new Set([...sent].flatMap(([id, { deletion }]) => (deletion === 'done' ? [id] : [])));
  const exit = await runToExit('admin', ['backup', archive, '--json'], { DATA_DIR: folder, NODE_COMPILE_CACHE });
  expect([exit.code, exit.stderr]).toEqual([0, '']);
  expect(JSON.parse(exit.stdout)).toMatchObject({ lost: 0 });
  const certain = new Map([...granted].filter(([id]) => sent.get(id)?.deletion === 'none'));
  return { archive, certain, deleted, asked: new Map([...sent].map(([id, file]) => [id, file.asked])) };
}

async function expectRestored(folder: string, { archive, certain, deleted, asked }: Made, sent: Sent): Promise<void> {
  const exit = await runToExit('admin', ['restore', archive], { DATA_DIR: folder, NODE_COMPILE_CACHE });
  expect([exit.code, exit.stderr]).toEqual([0, '']);
  const rows = rowsOf(folder, 'files');
  const ids = rows.map(({ id }) => String(id));
  expect([...certain.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => deleted.has(id) || !sent.has(id))).toEqual([]);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['live']));
  expect(await keysOnDisk(folder)).toEqual(rows.map(({ file_key }) => String(file_key)).toSorted());
  const sumOf = (column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
  const taken = { stored_bytes: sumOf('stored_size'), extra_bytes: sumOf('extra_bytes'), unsent_bytes: 0 };
  expect(rowsOf(folder, 'usage')).toEqual([{ id: 1, files: rows.length, ...taken }]);
  for (const { id, current_downloads } of rows) {
    expect(Number(current_downloads)).toBeGreaterThanOrEqual(certain.get(String(id)) ?? 0);
    expect(Number(current_downloads)).toBeLessThanOrEqual(asked.get(String(id)) ?? 0);
  }

  const server = await startServerProcess({ ...SETTINGS, DATA_DIR: folder });
  for (const id of ids) expect(await download(server.url, id)).toBe(sent.get(id)?.hash);
  const environment = { ...SETTINGS, DATA_DIR: folder, PORT: new URL(server.url).port };
  const { findings } = JSON.parse((await runToExit('admin', ['doctor', '--json'], environment)).stdout);
  const failing = (findings as NamedFinding[]).filter(({ state }) => state === 'failed');
  // Only a built clone has the web app.
  expect(failing.filter(({ name }) => name !== 'web app')).toEqual([]);
  expect(server.log()).not.toMatch(/"level":[456]0.*(?:bytes|sweep)/u);
  expect(await server.stop()).toBe(0);

  const inProcess = await createTestServer({ dataDir: folder });
  inProcess.wait(2 * HOUR_MS);
  const found = await reconcile(inProcess.context, { object: '', row: '' }, 100_000);
  expect(found).toMatchObject({ orphans: 0, lost: 0, failures: [] });
  await inProcess.close();
}

it('has every file that was there, and no other, with its bytes, its counter and its space', {
  timeout: 900_000,
}, async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'furoshiki-load-'));
  const folder = join(scratch, 'data');
  // Sweeps erase deleted names all the time, which needs the database for itself.
  const server = await startServerProcess({ ...SETTINGS, DATA_DIR: folder, SWEEP_SECONDS: '1' });
  const sent: Sent = new Map();
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, () => work(server.url, sent, () => isOver));
  const working = Promise.all(clients);
  // A client that fails ends the test, instead of the waiting for it.
  const under = <T>(job: Promise<T>) => Promise.race([job, working.then(() => job)]);
  await under(expect.poll(() => sent.size).toBeGreaterThan(20));
  const made: Made[] = [];
  for (let n = 0; n < BACKUPS; n += 1) {
    const before = sent.size;
    made.push(await under(backUp(folder, join(scratch, `${n}.tar`), sent)));
    // Each was made under load.
    expect(sent.size).toBeGreaterThan(before);
  }
  isOver = true;
  await working;
  expect(server.log()).not.toContain('"level":50');
  expect(await server.stop()).toBe(0);
  for (const [n, one] of made.entries()) await expectRestored(join(scratch, `restored-${n}`), one, sent);
  await rm(scratch, { recursive: true });
});
