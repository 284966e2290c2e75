// Measures how many uploads one and two servers open in a second, at several distances from PostgreSQL, in turns. With the folder
// of another version, which is installed there, that one too.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { sharedPostgres } from '../apps/server/testing/backends.ts';
import { INIT, TestClient } from '../apps/server/testing/test-client.ts';
import { freePort } from '../apps/server/testing/process.ts';
import { Cluster, storesOf } from '../e2e/support/cluster.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { ensureBackends } from '../scripts/ensure-backends.mjs';
import { median } from './measuring.ts';

/** npm run bench:distance -- <seconds of each measurement> <rounds> <clients of each server> <folder of another version> */
const [SECONDS = 2, ROUNDS = 5, CLIENTS = 12] = process.argv.slice(2, 5).map(Number);
const OTHER = process.argv[5];
const SAMPLE_MS = 50;
/** At 300 ms, the distance counts for more than a busy machine. Version 0.2 responds with errors there. */
const ROUND_TRIPS_MS = OTHER === undefined ? [0, 2, 10, 50, 300] : [0, 2, 10, 50];

const missing = ensureBackends() ?? ensurePrograms('nginx');
if (missing !== undefined) throw new Error(missing);

const postgres = await sharedPostgres();
const near = new URL(await postgres.newDatabase());
const distance = fork(join(import.meta.dirname, 'far-away.ts'), [near.port], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
process.on('exit', () => distance.kill());
const [farPort] = (await once(distance, 'message')).map(String);

function farAway(url: string): string {
  const address = new URL(url);
  address.port = farPort ?? '';
  return address.href;
}

const cluster = await Cluster.start({ postgres, environment: { DATABASE_URL: farAway(near.href) } });
const agent = new Agent({ keepAlive: true });
const body = Buffer.from(JSON.stringify(INIT));

interface Version {
  urls: string[];
  client: TestClient;
  measured: Measured[];
}

interface Measured {
  ms: number;
  one: Sample[];
  two: Sample[];
}

interface Sample {
  rate: number;
  /** How many connections of PostgreSQL waited for a lock, on average. */
  waiting: number;
  /** How many cores of the machine were busy, whatever with. */
  cores: number;
}

async function versionAt(urls: string[]): Promise<Version> {
  const client = new TestClient(urls[0] ?? '');
  await client.renewToken();
  return { urls, client, measured: ROUND_TRIPS_MS.map((ms) => ({ ms, one: [], two: [] })) };
}

/** Starts a server of another version. Its first line says that it is ready. */
async function startOther(folder: string, environment: Record<string, string>, children: ChildProcess[]) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(folder, 'apps/server/src/main.ts')], {
    env: { PATH: process.env['PATH'], ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return `http://127.0.0.1:${port}`;
}

const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill();
});

/** Those of another version, which may be too busy: version 0.2 sometimes is. */
const mayBeBusy = new Set<TestClient>();

/** Returns false if the server of another version is too busy. */
async function openUpload(url: string, client: TestClient): Promise<boolean> {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': body.length,
    cookie: client.cookie,
    'x-csrf-token': client.token,
    // Each upload has another address, because an address may have only so many open ones.
    'x-forwarded-for': Array.from({ length: 4 }, () => randomInt(1, 255)).join('.'),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/upload/init`, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(true);
        else if (response.statusCode === 503 && mayBeBusy.has(client)) resolve(false);
        else reject(new Error(`an upload was refused with ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end(body);
  });
}

const observer = new pg.Client({ connectionString: near.href });
await observer.connect();
const WAITING = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and state = 'active'`;

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}

async function load(urls: string[], client: TestClient): Promise<Sample> {
  const startMs = performance.now();
  const endMs = startMs + SECONDS * 1000;
  const idleBefore = idleMs();
  let opened = 0;
  const lane = async (url: string) => {
    while (performance.now() < endMs) {
      if (await openUpload(url, client)) opened += 1;
    }
  };
  const waiting: number[] = [];
  const observe = async () => {
    while (performance.now() < endMs) {
      const { rows } = await observer.query<{ count: number }>(WAITING);
      waiting.push(rows[0]?.count ?? 0);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  };
  await Promise.all([observe(), ...urls.flatMap((url) => Array.from({ length: CLIENTS }, () => lane(url)))]);
  const ms = performance.now() - startMs;
  const average = waiting.reduce((sum, count) => sum + count, 0) / Math.max(1, waiting.length);
  return { rate: opened / (ms / 1000), waiting: average, cores: cpus().length - (idleMs() - idleBefore) / ms };
}

const versions = new Map([['this version', await versionAt(cluster.servers.map(({ url }) => url))]]);
if (OTHER !== undefined) {
  const stores = await storesOf(postgres, cluster.ceph);
  const environment = { ...cluster.environment, ...stores, DATABASE_URL: farAway(stores['DATABASE_URL'] ?? '') };
  const urls = [];
  for (let count = 0; count < 2; count += 1) urls.push(await startOther(OTHER, environment, children));
  const other = await versionAt(urls);
  mayBeBusy.add(other.client);
  versions.set('the other version', other);
}
for (const { urls, client } of versions.values()) for (const url of urls) await load([url], client);
// In turns, so that other load on the machine affects all alike.
for (let round = 0; round < ROUNDS; round += 1)
  for (const [index, ms] of ROUND_TRIPS_MS.entries()) {
    distance.send(ms);
    for (const { urls, client, measured } of versions.values()) {
      measured[index]?.one.push(await load(urls.slice(0, 1), client));
      measured[index]?.two.push(await load(urls, client));
    }
  }

const ratesOf = (samples: Sample[]) => samples.map(({ rate }) => rate);
const ratio = (samples: Sample[], to: Sample[]) =>
  median(ratesOf(samples).map((rate, round) => rate / (to[round]?.rate ?? 0)));
const columns = (samples: Sample[]) => {
  const rates = ratesOf(samples);
  const range = `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`;
  const waiting = median(samples.map((sample) => sample.waiting)).toFixed(1);
  return [`${median(rates).toFixed(1)} (${range})`, waiting, median(samples.map(({ cores }) => cores)).toFixed(1)];
};
const WIDTHS = [10, 19, 9, 7, 9, 19, 9, 7, 12];
const print = (cells: string[]) => console.log(cells.map((text, index) => text.padStart(WIDTHS[index] ?? 0)).join(''));
console.log(`uploads opened per second, ${CLIENTS} clients for each server, medians and ranges of ${ROUNDS} rounds`);
for (const [name, { measured }] of versions) {
  console.log(name);
  print(['round trip', '1 server', 'waiting', 'cores', 'of 0 ms', '2 servers', 'waiting', 'cores', 'of 1 server']);
  for (const { ms, one, two } of measured)
    print([
      `${ms} ms`,
      ...columns(one),
      ratio(one, measured[0]?.one ?? []).toFixed(2),
      ...columns(two),
      ratio(two, one).toFixed(2),
    ]);
}
agent.destroy();
await observer.end();
await cluster.discard();
process.exit();
