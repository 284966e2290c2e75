import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { expect, test } from '@playwright/test';
import { createS3Store } from '../apps/server/src/adapters/s3/s3-store.ts';
import { createPostgresMetadataStore } from '../apps/server/src/adapters/sql/metadata-store.ts';
import { reconcile } from '../apps/server/src/services/deletion/reconcile.ts';
import { sweep } from '../apps/server/src/services/deletion/sweep.ts';
import { CEPH_KEYS } from '../apps/server/testing/ceph.ts';
import { type Reply, TestClient } from '../apps/server/testing/test-client.ts';
import { Cluster, hasEngines } from './support/cluster.ts';

test.skip(!hasEngines, 'PostgreSQL and Ceph are not both installed');

const CLIENTS = 20;
const LIMIT = 3;
const CHAOS_MS = 30_000;
const OUTAGE_MS = 10_000;
const BETWEEN_KILLS_MS = 3000;
/** Longer than any outage here, and than what it leaves behind. */
const PATIENCE_MS = 400_000;
const SILENCE_MS = 30_000;
const DAY_MS = 86_400_000;

interface Kept {
  id: string;
  fileKey: string;
  sha256: string;
  /** Clients that were granted a download. */
  granted: Set<TestClient>;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let cluster: Cluster;
let ending: AbortController;
let calls: number;
let failures: number;

/** As a browser would: what fails for want of a server, a database or a store is asked again, until it is answered. */
async function stubbornly<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    calls += 1;
    const answer = await ask().catch((error: unknown) => ({ status: 0, error }));
    if (!('error' in answer) && answer.status < 500) return answer;
    if (patience.aborted) throw new Error(`no answer in ${PATIENCE_MS} ms, at last ${inspect(answer)}`);
    failures += 1;
    await sleep(200);
  }
}

async function answered(ask: () => Promise<Reply>) {
  const { status, body } = await stubbornly(ask);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Sends a file of one part, or of two, all the way to its acknowledgement. */
async function upload(client: TestClient): Promise<Kept> {
  const size = Math.random() < 0.1 ? 26 * 1024 * 1024 : 200_000;
  const opened = await answered(() => client.init({ fileSize: size, downloadLimit: LIMIT }));
  const name = { uploadId: opened.uploadId, fileKey: opened.fileKey };
  const whole = createHash('sha256');
  const parts: { PartNumber: number; ETag: string | null }[] = [];
  for (let index = 0; index < opened.totalParts; index += 1) {
    const length = Math.min(opened.chunkSize, size - index * opened.chunkSize) + 28;
    const bytes = new Uint8Array(randomBytes(length));
    whole.update(bytes);
    const put = await stubbornly(async () => {
      const { presignedUrl } = await answered(() =>
        client.post('/upload/presigned-url', { ...name, partNumber: index + 1 }),
      );
      return fetch(presignedUrl, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(SILENCE_MS) });
    });
    expect(put.status).toBe(200);
    parts.push({ PartNumber: index + 1, ETag: put.headers.get('etag') });
  }
  // Any will do: nobody opens what is random anyway.
  const [salt, keyCheck] = [16, 28].map((length) => randomBytes(length).toString('base64'));
  const metadata = { chunkSize: opened.chunkSize, salt, keyCheck };
  const file = await answered(() => client.post('/upload/complete', { ...name, metadata, parts }));
  return { id: file.downloadId, fileKey: opened.fileKey, sha256: whole.digest('hex'), granted: new Set() };
}

/** Takes a grant, where there still is one, and fetches the whole file. */
async function download(client: TestClient, file: Kept): Promise<void> {
  const { status, body } = await stubbornly(() => client.get(`/download/${file.id}`));
  if (status === 403) return;
  expect(status, JSON.stringify(body)).toBe(200);
  file.granted.add(client);
  const bytes = await stubbornly(async () => {
    const response = await fetch(body.presignedUrl, { signal: AbortSignal.timeout(SILENCE_MS) });
    return { status: response.status, bytes: await response.bytes() };
  });
  expect([bytes.status, sha256(bytes.bytes)]).toEqual([200, file.sha256]);
}

async function work(files: Kept[]): Promise<void> {
  let turn = Math.floor(Math.random() * cluster.servers.length);
  const client = new TestClient(() => cluster.servers[(turn += 1) % cluster.servers.length]?.url ?? '');
  await stubbornly(async () => {
    await client.renewToken();
    return { status: client.token ? 200 : 500 };
  });
  while (!ending.signal.aborted) {
    // Some uploads are never finished: the sweeper's share.
    if (Math.random() < 0.2) await answered(() => client.init());
    files.push(await upload(client));
    const file = files[Math.floor(Math.random() * files.length)];
    if (file) await download(client, file);
  }
}

async function killServers(): Promise<void> {
  for (let n = 0; !ending.signal.aborted; n += 1) {
    const server = cluster.servers[n % cluster.servers.length];
    await server?.down('SIGKILL');
    await sleep(500);
    // While the store or the database is away it cannot start; a supervisor would try again.
    while (
      !(await server?.up().then(
        () => true,
        () => false,
      ))
    )
      await sleep(200);
    await sleep(BETWEEN_KILLS_MS);
  }
}

test.beforeAll(async () => {
  cluster = await Cluster.start();
});
test.afterAll(() => cluster.discard());

test('whatever is killed, what was acknowledged is whole, limits hold, and the sweep leaves nothing', async () => {
  [ending, calls, failures] = [new AbortController(), 0, 0];
  const files: Kept[] = [];
  const working = Promise.all(Array.from({ length: CLIENTS }, () => work(files)));
  const killing = killServers();

  await sleep(CHAOS_MS / 6);
  await cluster.postgres.restart();
  await sleep(CHAOS_MS / 6);
  await cluster.ceph.down();
  await sleep(OUTAGE_MS);
  await cluster.ceph.up();
  await sleep(CHAOS_MS / 3);
  ending.abort();
  await killing;
  await working;
  expect(files.length).toBeGreaterThan(CLIENTS);
  expect(failures).toBeGreaterThan(0);

  // A crowd comes for each file: whoever is let in gets it whole.
  const latecomer = () => new TestClient(cluster.url);
  await Promise.all(files.slice(0, 30).flatMap((file) => Array.from({ length: 6 }, () => download(latecomer(), file))));
  for (const file of files) {
    expect(file.granted.size).toBeLessThanOrEqual(LIMIT);
    const info = await latecomer().get(`/download/${file.id}?demo=true`);
    // Not one is lost: it can be had, or was had as often as allowed.
    expect([200, 403]).toContain(info.status);
  }
  const { stdout } = await cluster.admin('stats', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ doomedFiles: 0 });
  expect(JSON.parse(stdout).liveFiles).toBeGreaterThanOrEqual(files.length);

  for (const server of cluster.servers) await server.down('SIGTERM');
  const stores = await openStores();
  for (const file of files) {
    const size = await stores.objects.sizeOf(file.fileKey);
    expect(sha256(await buffer(stores.objects.read(file.fileKey, 0, size)))).toBe(file.sha256);
  }
  await expectNothingLeftAfterDays(stores);
  await stores.metadata.close();
  test.info().annotations.push({ type: `${files.length} files, ${calls} calls, ${failures} of them in vain` });
});

async function openStores() {
  const { DATABASE_URL = '', S3_BUCKET = '' } = cluster.environment;
  const where = { bucket: S3_BUCKET, endpoint: cluster.ceph.endpoint, publicEndpoint: undefined };
  return {
    metadata: await createPostgresMetadataStore(DATABASE_URL, { connections: 5, statementMs: 10_000 }),
    objects: await createS3Store({ ...where, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS }),
  };
}

/** The sweeper's own work, by a clock that is days ahead: every file has expired, every upload is abandoned. */
async function expectNothingLeftAfterDays({
  metadata,
  objects,
}: Awaited<ReturnType<typeof openStores>>): Promise<void> {
  const context = { metadata, objects, clock: { nowMs: () => Date.now() + 5 * DAY_MS } };
  while ((await sweep(context, 200)) > 0);
  let cursors = { object: '', row: '' };
  do ({ cursors } = await reconcile(context, cursors, 200));
  while (cursors.object !== '' || cursors.row !== '');
  expect(await objects.listKeys('', 10)).toEqual([]);
  expect(await metadata.tally()).toEqual({ storedBytes: 0, liveFiles: 0, openUploads: 0, doomedFiles: 0 });
  expect(await metadata.countGrants(0)).toBe(0);
}
