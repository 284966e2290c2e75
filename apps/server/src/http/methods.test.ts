import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type Endpoint, type EndpointName, endpointPath, endpoints } from '@furoshiki/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, startTestServer, type TestServer } from '../../testing/test-server.ts';

const ID = 'A'.repeat(22);
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'];
const READ = 'GET, HEAD, OPTIONS';
let server: TestServer;
let client: TestClient;
let id: string;
let storedPath: string;
beforeAll(async () => {
  server = await startTestServer({ hasPages: true });
  client = new TestClient(server);
  ({ id } = await client.send(new Uint8Array(1000)));
  const { body } = await client.get(`/download/${id}`);
  storedPath = (body.presignedUrl as string).slice(server.url.length);
});
afterAll(() => server.close());

/** Sends the path as it is. */
async function send(method: string, path: string) {
  const headers = { cookie: client.cookie, accept: 'application/json' };
  const sent = requestHttp(server.url, { path, method, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, length: body.length };
}

/** A GET of these changes something. */
const SPENDING = new Set<EndpointName>(['takeGrant', 'readResumeSecret']);
const names = Object.keys(endpoints) as EndpointName[];

/** The methods of each path of the API. */
function allowedByPath(): Map<string, string> {
  const byPath = Map.groupBy(names, (name) => endpointPath(name, { id: ID, pageID: ID, requestID: ID }));
  return new Map(
    [...byPath].map(([path, calls]) => {
      const methods = new Set<string>(calls.map((name) => (endpoints[name] as Endpoint).method));
      if (methods.has('GET') && !calls.some((name) => SPENDING.has(name))) methods.add('HEAD');
      return [path, [...methods, 'OPTIONS'].toSorted().join(', ')];
    }),
  );
}

describe('the methods', () => {
  it.each([
    ...allowedByPath(),
    [`/api/download/file/${ID}`, READ],
    ['/api/openapi.json', READ],
    ['/api/docs', READ],
    [`/store/${ID}`, READ],
    [`/store/${ID}/1`, 'OPTIONS, PUT'],
    ['/healthz', READ],
    ['/readyz', READ],
    ['/robots.txt', READ],
    ['/sitemap.xml', READ],
    ['/.well-known/security.txt', READ],
    ['/assets/app.js', READ],
    ['/', READ],
    ['/en/faq', READ],
    [`/de/download/${ID}`, READ],
    ['/%61pi/config', READ],
  ])('of %s are %s', async (path, allowed) => {
    const isAllowed = (method: string) => allowed.split(', ').includes(method);
    for (const method of METHODS) {
      const { status, headers } = await send(method, path);
      expect([method, status === 405, status === 405 || method === 'OPTIONS' ? headers.allow : allowed]).toEqual([
        method,
        !isAllowed(method),
        allowed,
      ]);
    }
    const options = await send('OPTIONS', path);
    expect([options.status, options.length, options.headers['content-length']]).toEqual([204, 0, undefined]);
  });

  it.each(['/nowhere', '/nowhere?%zz', '/nowhere#%zz', '/api/nothing', '/store', '/store/a/b/c', '/assets/old.js'])(
    'of %s are none',
    async (path) => {
      for (const method of METHODS) {
        const { status, headers } = await send(method, path);
        expect([method, status, headers.allow]).toEqual([method, 404, undefined]);
      }
    },
  );

  it('are told to no other site', async () => {
    const { headers } = await send('OPTIONS', '/api/config');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('HEAD', () => {
  /** These differ between any two responses. */
  const withoutChanging = ({ date: _date, 'set-cookie': _cookie, ...rest }: IncomingMessage['headers']) => rest;

  it.each<[string, number]>([
    ['/healthz', 200],
    ['/readyz', 200],
    ['/api/config', 200],
    ['/api/readiness', 200],
    ['/api/openapi.json', 200],
    ['/api/docs', 200],
    ['/robots.txt', 200],
    ['/sitemap.xml', 200],
    ['/.well-known/security.txt', 200],
    ['/assets/app.js', 200],
    ['/en/faq', 200],
    ['/', 200],
    ['/nowhere', 404],
    ['/api/nothing', 404],
    ['/%zz', 400],
    ['/store/x', 403],
    ['<file>', 200],
    ['<info>', 200],
    ['<stored>', 200],
  ])('of %s has the headers of GET, and no body', async (name, status) => {
    const real = { '<stored>': storedPath, '<file>': `/api/download/file/${id}`, '<info>': `/api/download/info/${id}` };
    const path = name in real ? real[name as keyof typeof real] : name;
    const [get, head] = [await send('GET', path), await send('HEAD', path)];
    expect([get.status, head.status, head.length]).toEqual([status, status, 0]);
    expect(get.length).toBeGreaterThan(0);
    expect(withoutChanging(head.headers)).toEqual(withoutChanging(get.headers));
    expect(get.headers['content-length']).toBe(String(get.length));
  });

  it('reads no stored bytes, counts no download and renews nothing', async () => {
    const file = await client.send(new Uint8Array(10));
    expect((await send('HEAD', `/api/download/${file.id}`)).status).toBe(405);
    const { body } = await client.get(`/download/info/${file.id}`);
    expect(body).toMatchObject({ currentDownloads: 0, granted: false });
  });

  it('counts for a rate limit as GET does', async () => {
    const limited = await createTestServer({ config: { READS_PER_HOUR: 2 } });
    const statusOf = async (method: string) => (await limited.fetch(`${limited.url}/api/config`, { method })).status;
    expect([await statusOf('HEAD'), await statusOf('GET'), await statusOf('HEAD'), await statusOf('GET')]).toEqual([
      200, 200, 429, 429,
    ]);
    await limited.close();
  });
});
