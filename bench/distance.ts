// Measures how many uploads one and two servers open in a second, at several distances from PostgreSQL, in turns.
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { sharedPostgres } from '../apps/server/testing/backends.ts';
import { INIT, TestClient } from '../apps/server/testing/test-client.ts';
import { Cluster } from '../e2e/support/cluster.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { ensureBackends } from '../scripts/ensure-backends.mjs';
import { median } from './measuring.ts';

/** npm run bench:distance -- <seconds of each measurement> <rounds> */
const [SECONDS = 2, ROUNDS = 5] = process.argv.slice(2).map(Number);
const CLIENTS = 12;
/** At the last one, the distance counts for more than a busy machine. */
const ROUND_TRIPS_MS = [0, 2, 10, 50, 300];

const missing = ensureBackends() ?? ensurePrograms('nginx');
if (missing !== undefined) throw new Error(missing);

const postgres = await sharedPostgres();
const address = new URL(await postgres.newDatabase());
const distance = fork(join(import.meta.dirname, 'far-away.ts'), [address.port], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
process.on('exit', () => distance.kill());
[address.port] = (await once(distance, 'message')).map(String) as [string];

const cluster = await Cluster.start({ postgres, environment: { DATABASE_URL: address.href } });
const client = new TestClient(cluster.url);
await client.renewToken();
const agent = new Agent({ keepAlive: true });
const body = Buffer.from(JSON.stringify(INIT));

function openUpload(url: string): Promise<void> {
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
        if (response.statusCode === 200) resolve();
        else reject(new Error(`an upload was refused with ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** Returns uploads per second. */
async function rateOf(urls: string[]): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + SECONDS * 1000;
  let opened = 0;
  const lane = async (url: string) => {
    while (performance.now() < endMs) {
      await openUpload(url);
      opened += 1;
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: CLIENTS }, () => lane(url))));
  return opened / ((performance.now() - startMs) / 1000);
}

const urls = cluster.servers.map(({ url }) => url);
for (const url of urls) await rateOf([url]);
const measured = ROUND_TRIPS_MS.map((ms) => ({ ms, one: [] as number[], two: [] as number[] }));
// In turns, so that other load on the machine affects all alike.
for (let round = 0; round < ROUNDS; round += 1)
  for (const { ms, one, two } of measured) {
    distance.send(ms);
    one.push(await rateOf(urls.slice(0, 1)));
    two.push(await rateOf(urls));
  }
console.log(`uploads opened per second, ${CLIENTS} clients for each server, medians and ranges of ${ROUNDS} rounds`);
const shown = (rates: number[]) =>
  `${median(rates).toFixed(1)} (${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)})`.padStart(18);
const ratio = (rates: number[], to: number[]) => median(rates.map((rate, round) => rate / (to[round] ?? 0)));
const near = measured[0]?.one ?? [];
console.log('round trip           1 server  of 0 ms          2 servers  of 1 server');
for (const { ms, one, two } of measured)
  console.log(
    `${`${ms} ms`.padStart(10)} ${shown(one)} ${ratio(one, near).toFixed(2).padStart(8)} ${shown(two)} ${ratio(two, one).toFixed(2).padStart(12)}`,
  );
agent.destroy();
await cluster.discard();
distance.kill();
process.exit();
