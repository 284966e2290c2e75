// Servers, database and store are killed and stopped while clients send and fetch files.
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { expect, test } from '@playwright/test';
import { createS3Store } from '../../apps/server/src/adapters/s3/s3-store.ts';
import { createPostgresMetadataStore } from '../../apps/server/src/adapters/sql/metadata-store.ts';
import { reconcile } from '../../apps/server/src/services/reconcile.ts';
import { sweep } from '../../apps/server/src/services/deletion.ts';
import { sharedCeph, sharedPostgres } from '../../apps/server/testing/backends.ts';
import { CEPH_KEYS, startCeph } from '../../apps/server/testing/ceph.ts';
import { startPostgres } from '../../apps/server/testing/postgres.ts';
import { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import { type Reply, TestClient } from '../../apps/server/testing/test-client.ts';
import { Cluster } from '../support/cluster.ts';
import { IS_LONG } from '../support/long.ts';

const CLIENTS = IS_LONG ? 20 : 8;
const LIMIT = 3;
/** How often the database and the store fail. */
const ROUNDS = IS_LONG ? 4 : 1;
/** How many calls of each client succeed between two kills of a server, and fail while the store is away. */
const CALLS_PER_CLIENT = IS_LONG ? 10 : 5;
/** Longer than any outage and its consequences, such as the locks of a killed gateway. */
const GIVE_UP_MS = 400_000;
const TRANSFER_TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;

/** A file whose upload was acknowledged. */
interface StoredFile {
  id: string;
  fileKey: string;
  sha256: string;
  /** Clients that were granted a download. */
  granted: Set<TestClient>;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What can fail besides the servers. */
interface Faults {
  restartDatabase(): Promise<void>;
  interruptStore(): Promise<void>;
  resumeStore(): Promise<void>;
}

let faults: Faults;
let cluster: Cluster;
let ending: AbortController;
let calls: number;
let failures: number;

/** Retries until a server, a database and a store respond, as a browser does. */
async function withRetries<T extends { status: number }>(request: () => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(GIVE_UP_MS);
  for (;;) {
    calls += 1;
    const response = await request().catch((error: unknown) => ({ status: 0, error }));
    if (!('error' in response) && response.status < 500) return response;
    if (deadline.aborted) throw new Error(`no response in ${GIVE_UP_MS} ms, last result: ${inspect(response)}`);
    failures += 1;
    await sleep(200);
  }
}

async function bodyOf(request: () => Promise<Reply>) {
  const { status, body } = await withRetries(request);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Sends a file of one or two parts until it is acknowledged. */
async function upload(client: TestClient): Promise<StoredFile> {
  const size = Math.random() < 0.1 ? 26 * 1024 * 1024 : 200_000;
  const opened = await bodyOf(() => client.init({ fileSize: size, downloadLimit: LIMIT }));
  const uploadRef = { uploadId: opened.uploadId, fileKey: opened.fileKey };
  const whole = createHash('sha256');
  const parts: { PartNumber: number; ETag: string | null }[] = [];
  for (let index = 0; index < opened.totalParts; index += 1) {
    const length = Math.min(opened.chunkSize, size - index * opened.chunkSize) + 28;
    const bytes = new Uint8Array(randomBytes(length));
    whole.update(bytes);
    const put = await withRetries(async () => {
      const { presignedUrl } = await bodyOf(() =>
        client.post('/upload/presigned-url', { ...uploadRef, partNumber: index + 1 }),
      );
      return fetch(presignedUrl, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(TRANSFER_TIMEOUT_MS) });
    });
    expect(put.status).toBe(200);
    parts.push({ PartNumber: index + 1, ETag: put.headers.get('etag') });
  }
  // The content is random, so salt and key check need not match it.
  const [salt, keyCheck] = [16, 28].map((length) => randomBytes(length).toString('base64'));
  const metadata = { chunkSize: opened.chunkSize, salt, keyCheck };
  const file = await bodyOf(() => client.post('/upload/complete', { ...uploadRef, metadata, parts }));
  return { id: file.downloadId, fileKey: opened.fileKey, sha256: whole.digest('hex'), granted: new Set() };
}

/** Takes a grant, if there still is one, and fetches the whole file. */
async function download(client: TestClient, file: StoredFile): Promise<void> {
  const { status, body } = await withRetries(() => client.get(`/download/${file.id}`));
  if (status === 403) return;
  expect(status, JSON.stringify(body)).toBe(200);
  file.granted.add(client);
  const bytes = await withRetries(async () => {
    const response = await fetch(body.presignedUrl, { signal: AbortSignal.timeout(TRANSFER_TIMEOUT_MS) });
    return { status: response.status, bytes: await response.bytes() };
  });
  expect([bytes.status, sha256(bytes.bytes)]).toEqual([200, file.sha256]);
}

async function work(files: StoredFile[]): Promise<void> {
  let turn = Math.floor(Math.random() * cluster.servers.length);
  const client = new TestClient(() => cluster.servers[(turn += 1) % cluster.servers.length]?.url ?? '');
  await withRetries(async () => {
    await client.renewToken();
    return { status: client.token ? 200 : 500 };
  });
  while (!ending.signal.aborted) {
    // Some uploads are never completed, so that the sweeper has work.
    if (Math.random() < 0.2) await bodyOf(() => client.init());
    files.push(await upload(client));
    const file = files[Math.floor(Math.random() * files.length)];
    if (file) await download(client, file);
  }
}

/** Waits until so many more calls of the clients have this result, or the test ends. */
async function untilCalls(result: 'succeed' | 'fail', count: number): Promise<void> {
  const counted = () => (result === 'fail' ? failures : calls - failures);
  const enough = counted() + count;
  while (counted() < enough && !ending.signal.aborted) await sleep(20);
}

async function killServers(): Promise<void> {
  for (let n = 0; !ending.signal.aborted; n += 1) {
    const server = cluster.servers[n % cluster.servers.length];
    await server?.down('SIGKILL');
    await untilCalls('fail', 1);
    // It cannot start while the store or the database is down. Retry, as a supervisor would.
    while (
      !(await server?.up().then(
        () => true,
        () => false,
      ))
    )
      await sleep(200);
    await untilCalls('succeed', CALLS_PER_CLIENT * CLIENTS);
  }
}

/** Stops a database and a store of its own. */
async function startOwnCluster(): Promise<void> {
  const [postgres, ceph] = await Promise.all([startPostgres(), startCeph()]);
  cluster = await Cluster.start({ postgres, ceph });
  faults = {
    restartDatabase: () => postgres.restart(),
    interruptStore: () => ceph.interrupt(),
    resumeStore: () => ceph.resume(),
  };
}

/** Cuts the connections to the shared ones instead: `npm test` need not start others for that. */
async function startProxiedCluster(): Promise<void> {
  const [postgres, ceph] = await Promise.all([sharedPostgres(), sharedCeph()]);
  const url = new URL(await postgres.newDatabase());
  const database = await TcpProxy.start(Number(url.port));
  const store = await TcpProxy.start(Number(new URL(ceph.endpoint).port));
  url.port = String(database.port);
  const environment = { DATABASE_URL: url.href, S3_ENDPOINT: store.url };
  cluster = await Cluster.start({ postgres, ceph, environment });
  faults = {
    async restartDatabase() {
      await database.interrupt();
      await untilCalls('fail', CLIENTS);
      await database.resume();
    },
    interruptStore: () => store.interrupt(),
    resumeStore: () => store.resume(),
  };
  proxies = [database, store];
}

let proxies: TcpProxy[] = [];
test.beforeAll(() => (IS_LONG ? startOwnCluster() : startProxiedCluster()));
test.afterAll(async () => {
  await cluster.discard();
  for (const proxy of proxies) await proxy.discard();
});

const NAME = 'after random kills acknowledged files are complete, limits hold, and the sweep removes everything';
test(NAME, { tag: ['@cluster', '@long'] }, async () => {
  [ending, calls, failures] = [new AbortController(), 0, 0];
  const files: StoredFile[] = [];
  const working = Promise.all(Array.from({ length: CLIENTS }, () => work(files)));
  const killing = killServers();

  const untilMoreFiles = (count: number) =>
    expect.poll(() => files.length, { timeout: GIVE_UP_MS }).toBeGreaterThan(files.length + count);
  for (let round = 0; round < ROUNDS; round += 1) {
    await untilMoreFiles(CLIENTS);
    await faults.restartDatabase();
    await untilMoreFiles(CLIENTS);
    await faults.interruptStore();
    await untilCalls('fail', CALLS_PER_CLIENT * CLIENTS);
    await faults.resumeStore();
  }
  await untilMoreFiles(CLIENTS);
  ending.abort();
  await killing;
  await working;
  expect(failures).toBeGreaterThan(0);

  // Many clients compete for each file: each one that gets a grant gets the whole file.
  const newClient = () => new TestClient(cluster.url);
  await Promise.all(files.slice(0, 30).flatMap((file) => Array.from({ length: 6 }, () => download(newClient(), file))));
  for (const file of files) {
    expect(file.granted.size).toBeLessThanOrEqual(LIMIT);
    const info = await newClient().get(`/download/${file.id}?demo=true`);
    // No file is lost: it can be downloaded, or was downloaded as often as allowed.
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
  test.info().annotations.push({ type: `${files.length} files, ${calls} calls, ${failures} of them failed` });
});

async function openStores() {
  const { DATABASE_URL = '', S3_BUCKET = '' } = cluster.environment;
  const location = { bucket: S3_BUCKET, endpoint: cluster.ceph.endpoint, publicEndpoint: undefined };
  return {
    metadata: await createPostgresMetadataStore(DATABASE_URL, { connections: 5, statementMs: 10_000 }),
    objects: await createS3Store({ ...location, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS }),
  };
}

/** Sweeps with a clock that is days ahead: every file has expired, every upload is abandoned. */
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
  expect(await metadata.tally()).toMatchObject({ storedBytes: 0, liveFiles: 0, openUploads: 0, doomedFiles: 0 });
  expect(await metadata.countGrants(0)).toBe(0);
}
