// Measures scaling: calls per second with one and two servers on PostgreSQL, bytes through signed URLs against curl on Ceph
// alone, and the processor time of the servers. All on this machine and in the same run.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createS3Store } from '../apps/server/src/adapters/s3/s3-store.ts';
import type { ObjectStore } from '../apps/server/src/ports/object-store.ts';
import { CEPH_KEYS } from '../apps/server/testing/ceph.ts';
import { INIT, TestClient } from '../apps/server/testing/test-client.ts';
import { Cluster } from '../e2e/support/cluster.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { ensureBackends } from '../scripts/ensure-backends.mjs';

const run = promisify(execFile);
const SECONDS = 4;
const MB = 1024 * 1024;
const PART = 25 * MB + 28;
const PARTS = 40;
const LANES = 4;
const ROWS = 20_000;
/** Ticks per second of the kernel's clock, the unit in /proc. */
const TICKS_PER_SECOND = 100;

const missing = ensureBackends() ?? ensurePrograms('wrk', 'curl', 'nginx');
if (missing !== undefined) throw new Error(missing);

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-scale-'));
const cluster = await Cluster.start();
const client = new TestClient(cluster.url);

/** Repeats one call to all servers at the same time. Returns the rate and the processor time of a call. */
async function load(
  servers: string[],
  path: string,
  method = 'GET',
  body = '',
): Promise<{ rate: number; cpuMs: number }> {
  const script = join(folder, 'request.lua');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    cookie: client.cookie,
    'x-csrf-token': client.token,
  };
  const lines = [
    `wrk.method = ${JSON.stringify(method)}`,
    `wrk.body = ${body === '' ? 'nil' : JSON.stringify(body)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}`),
  ];
  writeFileSync(script, lines.join('\n'));
  const before = cpuSeconds();
  const rates = await Promise.all(
    servers.map(async (url) => {
      const { stdout } = await run('wrk', ['-t1', '-c16', `-d${SECONDS}s`, '-s', script, `${url}/api${path}`]);
      if (stdout.includes('Non-2xx')) throw new Error(`${path} was refused:\n${stdout}`);
      return Number(/Requests\/sec:\s+([\d.]+)/u.exec(stdout)?.[1]);
    }),
  );
  const rate = rates.reduce((sum, part) => sum + part, 0);
  return { rate, cpuMs: ((cpuSeconds() - before) / (rate * SECONDS)) * 1000 };
}

async function calls(): Promise<void> {
  const file = await client.send(new Uint8Array(randomBytes(1000)), { downloadLimit: 100 });
  const { body: open } = await client.init();
  const name = { uploadId: open.uploadId, fileKey: open.fileKey };
  const etag = (await client.putPart(name, 1, new Uint8Array(INIT.fileSize + 28))).headers.get('etag');
  const part = JSON.stringify({ ...name, partNumber: 1 });
  const asked: [what: string, path: string, method?: string, body?: string][] = [
    ['page', `/download/page/${file.pageID}`],
    ['grant, renewed', `/download/${file.id}`],
    ['presigned-url', '/upload/presigned-url', 'POST', part],
    ['complete-part', '/upload/complete-part', 'POST', JSON.stringify({ ...name, partNumber: 1, etag })],
    ['init (with Ceph)', '/upload/init', 'POST', JSON.stringify(INIT)],
  ];
  const urls = cluster.servers.map((server) => server.url);
  await client.get(`/download/${file.id}`);
  console.log(`${availableParallelism()} cores, which load, servers, PostgreSQL and Ceph share\n`);
  console.log('calls per second     1 server  2 servers  ratio   server CPU ms per call');
  for (const [what, ...call] of asked) {
    // The first round is a warm-up.
    for (const url of urls) await load([url], ...call);
    const [one, two] = [await load(urls.slice(0, 1), ...call), await load(urls, ...call)];
    console.log(
      `${what.padEnd(20)} ${one.rate.toFixed(0).padStart(8)} ${two.rate.toFixed(0).padStart(10)} ${(two.rate / one.rate).toFixed(2).padStart(6)} ${one.cpuMs.toFixed(2).padStart(24)}`,
    );
  }
}

const mbPerSecond = (startMs: number) => (PARTS * PART) / 1e6 / ((performance.now() - startMs) / 1000);

/** Runs one curl per part, several in parallel. Returns MB/s. */
async function transfer(
  urlOf: (partNumber: number) => Promise<string>,
  options: string[],
  onDone?: (partNumber: number, etag: string) => Promise<unknown>,
): Promise<number> {
  const waiting = Array.from({ length: PARTS }, (_, n) => n + 1);
  const start = performance.now();
  const lane = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const output = ['-o', '/dev/null', '-w', '%header{etag}'];
      const { stdout: etag } = await run('curl', ['-sSf', ...options, ...output, await urlOf(number)]);
      await onDone?.(number, etag);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return mbPerSecond(start);
}

function cpuSeconds(): number {
  const ticks = cluster.servers.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

interface Cost {
  rate: number;
  cpuPerGb: number;
}

async function costOf(work: () => Promise<number>): Promise<Cost> {
  const before = cpuSeconds();
  const rate = await work();
  return { rate, cpuPerGb: (cpuSeconds() - before) / ((PARTS * PART) / 1024 ** 3) };
}

/** Makes every call of an upload, as a client does. */
async function upload(file: string): Promise<{ rate: number; id: string }> {
  const start = performance.now();
  const { body: open } = await client.init({ fileSize: PARTS * 25 * MB, downloadLimit: 100 });
  const name = { uploadId: open.uploadId, fileKey: open.fileKey };
  const sign = async (partNumber: number) =>
    (await client.post('/upload/presigned-url', { ...name, partNumber })).body.presignedUrl as string;
  const report = (partNumber: number, etag: string) =>
    client.post('/upload/complete-part', { ...name, partNumber, etag });
  await transfer(sign, ['-T', file], report);
  const { body: status } = await client.post('/upload/status', name);
  const [salt, keyCheck] = [16, 28].map((length) => randomBytes(length).toString('base64'));
  const metadata = { chunkSize: open.chunkSize, salt, keyCheck };
  const { body } = await client.post('/upload/complete', { ...name, metadata, parts: status.parts });
  return { rate: mbPerSecond(start), id: body.downloadId };
}

/** Sends the same bytes as parts of an object that our servers do not know. */
async function uploadBare(store: ObjectStore, file: string): Promise<{ rate: number; key: string }> {
  const start = performance.now();
  const key = randomBytes(16).toString('base64url');
  const name = { key, uploadId: await store.createUpload(key) };
  const place = { ...name, offset: 0, length: PART, siteUrl: '', expiresAtMs: Date.now() + 600_000 };
  await transfer((partNumber) => store.signPartUrl({ ...place, partNumber }), ['-T', file]);
  await store.completeUpload(name, await store.listParts(name));
  return { rate: mbPerSecond(start), key };
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

async function bytes(): Promise<void> {
  const file = join(folder, 'part.bin');
  writeFileSync(file, randomBytes(PART));
  const where = { bucket: await cluster.ceph.newBucket(), endpoint: cluster.ceph.endpoint, publicEndpoint: undefined };
  const plain = await createS3Store({ ...where, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS });
  const results = { up: [] as Cost[], upBare: [] as number[], down: [] as Cost[], downBare: [] as number[] };
  // In turns, because the speed of a machine varies. The first round is a warm-up.
  for (let round = 0; round < 4; round += 1) {
    const bare = await uploadBare(plain, file);
    const read = { clientHash: '', siteUrl: '', expiresAtMs: Date.now() + 600_000 };
    const bareUrl = await plain.signReadUrl({ ...read, key: bare.key });
    const range = ['-r', `0-${PART - 1}`];
    const downBare = await transfer(async () => bareUrl, range);
    await plain.delete(bare.key);
    let id = '';
    const up = await costOf(async () => {
      const done = await upload(file);
      id = done.id;
      return done.rate;
    });
    const down = await costOf(async () => {
      const { body } = await client.get(`/download/${id}`);
      return transfer(async () => body.presignedUrl as string, range);
    });
    await client.delete(`/download/${id}`);
    if (round === 0) continue;
    results.up.push(up);
    results.upBare.push(bare.rate);
    results.down.push(down);
    results.downBare.push(downBare);
  }
  console.log('\nbytes, 1 GB           MB/s   curl alone   ratio   server CPU s per GB');
  for (const [what, costs, bare] of [
    ['upload, every call', results.up, results.upBare],
    ['download, ranges', results.down, results.downBare],
  ] as const) {
    const [rate, alone] = [median(costs.map((cost) => cost.rate)), median(bare)];
    const cpu = median(costs.map((cost) => cost.cpuPerGb)).toFixed(3);
    console.log(
      `${what.padEnd(19)} ${rate.toFixed(0).padStart(6)} ${alone.toFixed(0).padStart(12)} ${(rate / alone).toFixed(2).padStart(7)} ${cpu.padStart(21)}`,
    );
  }
}

/** Estimates the database size of a million files from fewer files. */
async function rows(): Promise<void> {
  const database = new pg.Client({ connectionString: cluster.environment['DATABASE_URL'] });
  await database.connect();
  await database.query(
    `insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type, chunk_size, is_encrypted,
       salt, key_check, max_downloads, retention_days, created_at_ms, expires_at_ms, page_id)
     select left(md5('i' || n), 22), left(md5('k' || n), 22), '2~' || left(md5('u' || n), 31), 'live', 'a file with a usual name ' || n || '.pdf', 1e8, 1e8,
       'application/pdf', 26214400, 1, left(md5('s' || n), 24), md5('c' || n) || '12345678', 5, 1, 2e12, 2e12, left(md5('p' || n), 22)
     from generate_series(1, $1) n`,
    [ROWS],
  );
  await database.query(
    `insert into grants select left(md5('i' || n), 22), md5('h' || n) || '12345678901', 2e12 from generate_series(1, $1) n`,
    [ROWS],
  );
  const { rows: sizes } = await database.query(
    `select pg_total_relation_size('files')::float8 as files, pg_total_relation_size('grants')::float8 as grants`,
  );
  await database.end();
  const perMillion = (bytesTaken: number) => `${((bytesTaken / ROWS) * (1e6 / 1024 ** 2)).toFixed(0)} MB`;
  console.log(
    `\ndatabase per million files ${perMillion(sizes[0].files)}, per million grants ${perMillion(sizes[0].grants)}`,
  );
}

try {
  await calls();
  await bytes();
  await rows();
} finally {
  await cluster.discard();
  rmSync(folder, { recursive: true });
}
