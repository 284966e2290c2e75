// A real server behind a proxy that changes what passes.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../testing/process.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { unchangedPages } from './site.ts';

type Change = (body: string, headers: Headers) => string;
let change: Change;
let proxy: Server;
let origin: string;
let server: TestServer;
beforeAll(async () => {
  proxy = createServer((request, response) => {
    void (async () => {
      const passed = await fetch(new URL(request.url ?? '', server.url));
      const headers = new Headers(passed.headers);
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
      const body = change(await passed.text(), headers);
      response.writeHead(passed.status, Object.fromEntries(headers)).end(body);
    })();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  server = await startTestServer({ config: { PUBLIC_ORIGIN: origin }, hasPages: true });
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server.close();
});

const check = (changing: Change, environment: Record<string, string> = {}) => {
  change = changing;
  return unchangedPages.run(testTools(server.folder, { PUBLIC_ORIGIN: origin, ...environment }));
};

it('is content with a proxy that changes nothing', async () => {
  expect(await check((body) => body)).toEqual({ state: 'ok', text: `${origin} serves what was built` });
});

it.each<[string, Change, string]>([
  [
    'an added script',
    (body) => body.replace('<html', '<script src="https://cdn.example/a.js"></script><html'),
    '/en, /',
  ],
  [
    'another policy',
    (body, headers) => {
      headers.set('content-security-policy', "default-src 'self'");
      return body;
    },
    'Content-Security-Policy',
  ],
  [
    'a second policy',
    (body, headers) => {
      headers.append('content-security-policy', "default-src 'self'");
      return body;
    },
    'Content-Security-Policy',
  ],
  [
    'an added header',
    (body, headers) => {
      headers.set('link', '<https://cdn.example/a.css>; rel=preload');
      return body;
    },
    'a link header',
  ],
])('names %s', async (_, changing, named) => {
  expect(await check(changing)).toMatchObject({
    state: 'failed',
    text: `${origin} does not serve what was built (${named})`,
  });
});

it('says nothing if the service cannot be reached, or has no public address', async () => {
  const away = await check((body) => body, { PUBLIC_ORIGIN: `http://127.0.0.1:${await freePort()}` });
  expect(away).toMatchObject({ state: 'skipped', text: 'the service cannot be reached (ECONNREFUSED)' });
  expect((await unchangedPages.run(testTools(server.folder))).state).toBe('skipped');
});
