// Servers are restarted one after the other, behind the proxies of deploy/, while clients send and fetch files.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { sharedCeph, sharedPostgres } from '../../apps/server/testing/backends.ts';
import type { Ceph } from '../../apps/server/testing/ceph.ts';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { NO_RATE_LIMITS } from '../../apps/server/testing/no-rate-limits.ts';
import type { Postgres } from '../../apps/server/testing/postgres.ts';
import { TestClient } from '../../apps/server/testing/test-client.ts';
import { storesOf } from '../support/cluster.ts';
import { type DeployedProxy, startDeployedProxy } from '../support/deployed-proxies.ts';
import type { ProxyName } from '../support/proxy-process.ts';
import { ServerProcess } from '../support/server-process.ts';

const PROXIES: ProxyName[] = ['nginx', 'caddy'];
const CLIENTS_PER_PROXY = 4;
const ROUNDS = 3;
const LIMIT = 2;
const SIZE = 20_000;
/** Between two files of a client, so that a small machine is not busy with nothing else. */
const PAUSE_MS = 200;
const RETRY_MS = 1000;
/** What the log calls a call that took too long. 57014 is PostgreSQL's own code. */
const DEADLINES = new Set(['ETIMEDOUT', '57014', 'the transaction takes too long']);

/** A file whose upload was acknowledged, and that was downloaded once. */
interface StoredFile {
  id: string;
  sha256: string;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let certificate: MadeCertificate;
let backends: [Postgres, Ceph];
let servers: ServerProcess[];
let proxies: DeployedProxy[];

test.beforeAll(async () => {
  certificate = await makeCertificate();
  backends = await Promise.all([sharedPostgres(), sharedCeph()]);
  const environment = {
    ...NO_RATE_LIMITS,
    ...(await storesOf(...backends)),
    TRUST_PROXY: 'loopback',
    SECRET: randomBytes(32).toString('hex'),
  };
  servers = await Promise.all([ServerProcess.start(environment), ServerProcess.start(environment)]);
  const ports = servers.map(({ port }) => port);
  proxies = await Promise.all(PROXIES.map((name) => startDeployedProxy(name, ports, certificate)));
});
test.afterAll(async () => {
  for (const proxy of proxies) await proxy.process.discard();
  for (const server of servers) await server.discard();
  for (const backend of backends) await backend.stop();
  await certificate.discard();
});

/**
 * Works with one request at a time, and counts every failure. It repeats only what gets 503 SERVICE_UNAVAILABLE, as every
 * client must: on a busy machine the database or the store may be too slow. `expectOnlyDeadlines` checks that this is why.
 */
class StrictClient {
  readonly proxy: DeployedProxy;
  readonly api: TestClient;
  readonly failures: string[] = [];
  successes = 0;
  readonly files: StoredFile[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate.cert });

  constructor(proxy: DeployedProxy) {
    this.proxy = proxy;
    this.api = new TestClient({ url: proxy.url, fetch: (url, init) => this.#fetch(url, init) });
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { method = 'GET', headers, body } = init;
    const { protocol, pathname } = new URL(url);
    const send = async () => {
      if (protocol === 'http:') return fetch(url, init); // the store
      const options = { method, agent: this.#agent, headers: headers as Record<string, string> };
      const sent = request(url, options).end(body as string | undefined);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const bytes = new Uint8Array(await buffer(response));
      const pairs = Object.entries(response.headersDistinct);
      const all = pairs.flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
      return new Response(bytes, { status: response.statusCode ?? 0, headers: all });
    };
    const outcome = await send().catch((error: Error) => error);
    if (outcome instanceof Response && outcome.ok) {
      this.successes += 1;
      return outcome;
    }
    if (outcome instanceof Response && outcome.status === 503 && outcome.headers.has('retry-after')) {
      await sleep(RETRY_MS);
      return this.#fetch(url, init);
    }
    const text = outcome instanceof Response ? `${outcome.status} ${await outcome.text()}` : outcome.message;
    this.failures.push(`${method} ${pathname}: ${text}`);
    throw new Error(this.failures.at(-1));
  }

  /** Sends a file, and fetches it. */
  async transfer(): Promise<void> {
    const { body: opened } = await this.api.init({ fileSize: SIZE, downloadLimit: LIMIT });
    const upload = { uploadId: opened.uploadId, fileKey: opened.fileKey };
    const sealed = new Uint8Array(randomBytes(SIZE + 28));
    const { headers } = await this.api.putPart(upload, 1, sealed);
    // The content is random, so salt and key check need not match it.
    const [salt, keyCheck] = [16, 28].map((length) => randomBytes(length).toString('base64'));
    const metadata = { chunkSize: opened.chunkSize, salt, keyCheck };
    const parts = [{ PartNumber: 1, ETag: headers.get('etag') }];
    const { body: stored } = await this.api.post('/upload/complete', { ...upload, metadata, parts });
    const file = { id: stored.downloadId, sha256: sha256(sealed) };
    this.files.push(file);
    await this.fetchWhole(file);
  }

  async fetchWhole(file: StoredFile): Promise<void> {
    const { body: grant } = await this.api.get(`/download/${file.id}`);
    const bytes = await (await this.#fetch(grant.presignedUrl)).bytes();
    expect(sha256(bytes)).toBe(file.sha256);
  }

  async transferUntil(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      await this.transfer().catch(() => undefined);
      await sleep(PAUSE_MS);
    }
    this.#agent.destroy();
  }
}

/** Runs clients at all proxies while `work` does something to the servers. */
async function underLoad(work: (clients: StrictClient[]) => Promise<void>): Promise<StrictClient[]> {
  const ending = new AbortController();
  const clients = proxies.flatMap((proxy) => Array.from({ length: CLIENTS_PER_PROXY }, () => new StrictClient(proxy)));
  const working = Promise.all(clients.map((client) => client.transferUntil(ending.signal)));
  try {
    await work(clients);
  } finally {
    ending.abort();
    await working;
  }
  return clients;
}

/** Waits until every client has sent and fetched another file. */
async function everyoneProceeds(clients: StrictClient[]): Promise<void> {
  const before = clients.map(({ files }) => files.length);
  const waiting = () => clients.filter(({ files }, index) => files.length < (before[index] ?? 0) + 2).length;
  await expect.poll(waiting, { intervals: [50] }).toBe(0);
}

async function isReady(server: ServerProcess): Promise<void> {
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { intervals: [50] }).toBe(200);
}

/** Every acknowledged file has its bytes, and none can be downloaded more often than allowed. */
async function expectWholeFiles(clients: StrictClient[]): Promise<void> {
  const [nginx] = proxies as [DeployedProxy];
  const check = async ({ files }: StrictClient) => {
    const [recipient, tooLate] = [new StrictClient(nginx), new StrictClient(nginx)];
    for (const file of files) await recipient.fetchWhole(file);
    for (const file of files.slice(-3)) await expect(tooLate.fetchWhole(file)).rejects.toThrow('403');
  };
  await Promise.all(clients.map(check));
}

/** The only reason for a 503 is a call that took too long, and never a server that stops. */
function expectOnlyDeadlines(): void {
  const codes = servers.flatMap(({ log }) => Array.from(log.matchAll(/"code":"([^"]+)"/gu), ([, code]) => code));
  expect(codes.filter((code) => !DEADLINES.has(code ?? ''))).toEqual([]);
}

test('a rolling restart under load causes no error and loses nothing', { tag: ['@cluster', '@alone'] }, async () => {
  const clients = await underLoad(async (all) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const server of servers) {
        await everyoneProceeds(all);
        expect(await server.down('SIGTERM')).toBe(0);
        await server.up();
        await isReady(server);
      }
    }
    await everyoneProceeds(all);
  });
  expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
  expectOnlyDeadlines();
  await expectWholeFiles(clients);
});

test('a killed server breaks only the requests that it was working on', { tag: ['@cluster', '@alone'] }, async () => {
  const [killed] = servers as [ServerProcess];
  const [nginx, caddy] = proxies as [DeployedProxy, DeployedProxy];
  const logged = (await caddy.process.logs()).length;
  const successesOf = (all: StrictClient[]) =>
    all.reduce((sum, { proxy, successes }) => sum + (proxy === caddy ? successes : 0), 0);
  let successes = 0;
  const clients = await underLoad(async (all) => {
    await everyoneProceeds(all);
    await killed.down('SIGKILL');
    const before = successesOf(all);
    await everyoneProceeds(all);
    successes = successesOf(all) - before;
    await killed.up();
    await everyoneProceeds(all);
  });
  // One server is left. Caddy takes a server that was too slow once for one that is down: then it has none for a moment.
  const isExcused = (failure: string, proxy: DeployedProxy) => proxy !== nginx && failure.endsWith(': 503 ');
  for (const { proxy, failures } of clients) {
    const broken = failures.filter((failure) => !isExcused(failure, proxy));
    // A client has one request at a time.
    expect(broken.length, broken.join('\n')).toBeLessThanOrEqual(1);
  }
  const excused = clients.flatMap(({ proxy, failures }) => failures.filter((failure) => isExcused(failure, proxy)));
  const log = (await caddy.process.logs()).slice(logged);
  expect(excused.length, log).toBeLessThanOrEqual(log.split('no upstreams available').length - 1);
  expect(excused.length, log).toBeLessThan(successes);
  await expectWholeFiles(clients);
});
