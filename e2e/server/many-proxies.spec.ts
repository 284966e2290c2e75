// Which requests the proxies for several servers send to another server, and which they send only once.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { type DeployedProxy, startDeployedProxy } from '../support/deployed-proxies.ts';
import type { ProxyName } from '../support/proxy-process.ts';

type Behaviour = 'works' | 'is not ready' | 'returns 503' | 'breaks';

/** Two servers that fail in a chosen way, and what each of them has received. */
let stubs: Server[];
let behaviours: Behaviour[];
let received: string[][];
let proxy: DeployedProxy;
let certificate: MadeCertificate;

async function handle(index: number, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const behaviour = behaviours[index];
  if (incoming.url === '/readyz') {
    response.writeHead(behaviour === 'is not ready' ? 503 : 200).end();
    return;
  }
  const { length } = await buffer(incoming);
  received[index]?.push(`${incoming.method} ${incoming.url} ${length}`);
  if (behaviour === 'breaks') incoming.socket.resetAndDestroy();
  else response.writeHead(behaviour === 'returns 503' ? 503 : 200).end(String(index));
}

async function start(name: ProxyName, ...chosen: Behaviour[]): Promise<void> {
  test.skip(findProgram(name) === undefined, `${name} is not installed`);
  behaviours = chosen;
  received = chosen.map(() => []);
  certificate = await makeCertificate();
  stubs = chosen.map((_, index) => createServer((incoming, response) => void handle(index, incoming, response)));
  for (const stub of stubs) await once(stub.listen(0, '127.0.0.1'), 'listening');
  const ports = stubs.map((stub) => (stub.address() as AddressInfo).port);
  proxy = await startDeployedProxy(name, ports, certificate);
}

test.afterEach(async () => {
  await proxy.process.discard();
  for (const stub of stubs) stub.close().closeAllConnections();
  await certificate.discard();
});

async function send(method: string, path: string, body = ''): Promise<[status: number, body: string]> {
  const sent = request(proxy.url + path, { method, ca: certificate.cert, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

/** Sends as many requests as both servers get some of. */
async function sendMany(method: string, path: string, body?: string): Promise<number[]> {
  const statuses = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await send(method, path, body))[0]);
  return statuses;
}

const ALL_OK = Array.from({ length: 8 }, () => 200);
const POST_MESSAGE = ['POST', '/api/contact', '{}'] as const;
const timesAt = (index: number) => received[index]?.length ?? 0;

for (const failing of ['returns 503', 'breaks'] as const) {
  for (const [method, path] of [
    ['GET', '/api/config'],
    ['POST', '/api/upload/init'],
    ['DELETE', '/api/download/x'],
  ] as const) {
    test(`nginx sends ${method} ${path} to the next server if the first one ${failing}`, async () => {
      await start('nginx', failing, 'works');
      expect(await sendMany(method, path, method === 'POST' ? '{}' : undefined)).toEqual(ALL_OK);
      expect(timesAt(0)).toBeGreaterThan(0);
      expect(timesAt(1)).toBe(8);
    });
  }
}

for (const name of ['nginx', 'caddy'] as const) {
  test(`${name} sends a message to one server only, even if the connection breaks`, async () => {
    await start(name, 'breaks', 'works');
    const statuses = await sendMany('POST', '/api/contact', '{"message":"once"}');
    expect(statuses.filter((status) => status === 502)).toHaveLength(timesAt(0));
    expect(timesAt(0)).toBeGreaterThan(0);
    expect(timesAt(0) + timesAt(1)).toBe(8);
  });

  test(`${name} sends a part to one server only: it has not kept the bytes`, async () => {
    await start(name, 'breaks', 'works');
    const statuses = await sendMany('PUT', '/store/x/1', 'x'.repeat(2_000_000));
    expect(statuses.filter((status) => status === 502)).toHaveLength(timesAt(0));
    expect(timesAt(0)).toBeGreaterThan(0);
    expect(timesAt(0) + timesAt(1)).toBe(8);
  });

  test(`${name} uses the other server if one refuses connections`, async () => {
    await start(name, 'works', 'works');
    stubs[0]?.close().closeAllConnections();
    // Debian's Caddy cannot send a body again, not even after a refused connection.
    const statuses = name === 'nginx' ? await sendMany(...POST_MESSAGE) : await sendMany('GET', '/');
    expect(statuses).toEqual(ALL_OK);
    expect([timesAt(0), timesAt(1)]).toEqual([0, 8]);
  });
}

test('Caddy sends nothing to a server that is not ready', async () => {
  await start('caddy', 'is not ready', 'works');
  await expect.poll(async () => (await proxy.process.logs()).includes('status code out of tolerances')).toBe(true);
  received = [[], []];
  expect(await sendMany(...POST_MESSAGE)).toEqual(ALL_OK);
  expect(timesAt(0)).toBe(0);
});

test('Caddy asks any server if none is ready', async () => {
  await start('caddy', 'is not ready', 'is not ready');
  await expect
    .poll(async () => (await proxy.process.logs()).split('status code out of tolerances').length)
    .toBeGreaterThan(4);
  expect(await sendMany('POST', '/api/upload/init', '{}')).toEqual(ALL_OK);
});
