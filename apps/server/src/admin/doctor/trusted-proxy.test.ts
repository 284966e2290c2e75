import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../../testing/process.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { trustedProxy } from './public-address.ts';

/** Trusts one hop from every address. */
let server: TestServer;
/** Appends the address of its client to X-Forwarded-For. */
let proxy: Server;
let proxyUrl: string;
beforeEach(async () => {
  server = await startTestServer({ config: { TRUST_PROXY: 1 } });
  proxy = createServer(({ url = '', headers, socket }, response) => {
    const addresses = [headers['x-forwarded-for'], socket.remoteAddress].join(', ');
    get(server.url + url, { headers: { 'x-forwarded-for': addresses } }, (message) => message.pipe(response));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterEach(async () => {
  proxy.close();
  await server.close();
});

const check = (environment: Record<string, string>) => trustedProxy.run(testTools(tmpdir(), environment));

it('is satisfied if the proxy alone decides about the address', async () => {
  expect(await check({ TRUST_PROXY: '1', PUBLIC_ORIGIN: proxyUrl })).toMatchObject({ state: 'ok' });
  const PORT = String(await freePort());
  const closed = { TRUST_PROXY: '10.0.0.1', HOST: '0.0.0.0', PORT, PUBLIC_ORIGIN: proxyUrl };
  expect(await check(closed)).toMatchObject({ state: 'ok' });
});

it('names an address at which the client decides', async () => {
  const found = await check({ TRUST_PROXY: '1', PUBLIC_ORIGIN: server.url });
  expect(found).toMatchObject({ state: 'failed', text: expect.stringContaining(`${server.url} believes`) });
});

it('names a port that can be reached without the proxy', async () => {
  const { port } = new URL(server.url);
  const found = await check({ TRUST_PROXY: '10.0.0.1', HOST: '0.0.0.0', PORT: port, PUBLIC_ORIGIN: proxyUrl });
  const direct = `http://127.0.0.1:${port} responds without the proxy`;
  expect(found).toMatchObject({ state: 'failed', text: expect.stringContaining(direct) });
});

it('names a setting with which the server does not start', async () => {
  await expect(check({ TRUST_PROXY: '1', HOST: '0.0.0.0' })).rejects.toThrowError('TRUST_PROXY is a number');
});

it.each([
  {},
  { PUBLIC_ORIGIN: 'https://files.example.org' },
  { TRUST_PROXY: '1' },
  // Nothing listens there.
  { TRUST_PROXY: '1', PUBLIC_ORIGIN: 'http://127.0.0.1:1' },
])('is skipped with %j', async (environment) => {
  expect(await check(environment)).toMatchObject({ state: 'skipped' });
});
