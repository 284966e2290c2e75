import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const post = (path: string, headers: Record<string, string>, body = '{}') =>
  fetch(`${server.url}/api${path}`, { method: 'POST', headers, body });

describe('the security token', () => {
  const codeOf = async (headers: Record<string, string>) => {
    const response = await post('/upload/status', { 'content-type': 'application/json', ...headers });
    const { errorCode } = (await response.json()) as { errorCode: string };
    return [response.status, errorCode];
  };
  const refused = [403, 'CSRF_TOKEN_EXPIRED'];
  const passed = [400, 'VALIDATION_FAILED'];

  async function cookieAndToken() {
    const response = await post('/csrf-token', { 'content-type': 'application/json' }, '');
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { token } = (await response.json()) as { token: string };
    return { cookie, 'x-csrf-token': token };
  }

  it('is needed, genuine, with the cookie that it was made for', async () => {
    const mine = await cookieAndToken();
    const other = await cookieAndToken();
    expect(await codeOf(mine)).toEqual(passed);
    expect(await codeOf({ cookie: mine.cookie })).toEqual(refused);
    expect(await codeOf({ 'x-csrf-token': mine['x-csrf-token'] })).toEqual(refused);
    expect(await codeOf({ ...mine, cookie: other.cookie })).toEqual(refused);
    expect(await codeOf({ ...mine, 'x-csrf-token': `9${mine['x-csrf-token']}` })).toEqual(refused);
    expect(await codeOf({ ...mine, 'x-csrf-token': 'nonsense' })).toEqual(refused);
  });

  it('lives for 25 minutes', async () => {
    const mine = await cookieAndToken();
    server.wait(24 * 60_000);
    expect(await codeOf(mine)).toEqual(passed);
    server.wait(60_000);
    expect(await codeOf(mine)).toEqual(refused);
  });

  it('comes with a cookie that no script and no other site can use', async () => {
    const response = await post('/csrf-token', {}, '');
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^furoshiki=[\w-]{22}; Max-Age=259200; Path=\/; HttpOnly; SameSite=Strict$/u,
    );
  });

  it('renews the cookie that a client has, and replaces one that cannot be ours', async () => {
    const { cookie } = await cookieAndToken();
    const cookieAfter = async (given: string) =>
      (await post('/csrf-token', { cookie: given }, '')).headers.getSetCookie()[0]?.split(';')[0];
    expect(await cookieAfter(cookie)).toBe(cookie);
    expect(await cookieAfter('furoshiki=nonsense')).toMatch(/^furoshiki=[\w-]{22}$/u);
  });

  it('leaves a browser its cookie that withheld it because another site led there', async () => {
    const cookiesFrom = async (site: string) => {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' };
      const answers = [await fetch(`${server.url}/api/docs`, { headers }), await post('/csrf-token', headers, '')];
      return answers.map((answer) => [answer.status, answer.headers.getSetCookie().length]);
    };
    const both = (cookies: number) => [200, 200].map((status) => [status, cookies]);
    expect(await cookiesFrom('cross-site')).toEqual(both(0));
    for (const site of ['same-origin', 'same-site', 'none']) expect(await cookiesFrom(site)).toEqual(both(1));
  });
});

describe('a bad request is answered in the envelope', () => {
  const json = { 'content-type': 'application/json' };
  it.each<[string, number, string, () => Promise<Response>]>([
    ['broken JSON', 400, 'VALIDATION_FAILED', () => post('/upload/init', json, '{"fileName":')],
    ['a prototype in JSON', 400, 'VALIDATION_FAILED', () => post('/upload/init', json, '{"__proto__":{}}')],
    ['another content type', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('/upload/init', { 'content-type': 'text/xml' })],
    ['more than 256 KB', 413, 'BODY_TOO_LARGE', () => post('/upload/init', json, `"${'x'.repeat(1 << 18)}"`)],
    ['an unknown call', 404, 'NOT_FOUND', () => post('/nothing', json)],
    ['an id that is none', 400, 'VALIDATION_FAILED', () => fetch(`${server.url}/api/download/info/x`)],
    ['a bad URL', 400, 'VALIDATION_FAILED', () => fetch(`${server.url}/api/%`)],
    ['an unsigned PUT', 403, 'SIGNATURE_INVALID', () => fetch(`${server.url}/store/x/1`, { method: 'PUT', body: 'x' })],
    ['an unsigned GET', 403, 'SIGNATURE_INVALID', () => fetch(`${server.url}/store/x`)],
  ])('for %s', async (_, status, errorCode, request) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errorCode, error: expect.any(String), message: expect.any(String) });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('in the language that the reader prefers', async () => {
    const client = new TestClient(server.url);
    const textIn = async (language: string) =>
      (await client.get('/download/info/x', { 'accept-language': language })).body.error;
    expect(await textIn('en-GB')).toBe('The request is not valid.');
    expect(await textIn('xx, ja;q=0.5')).toBe('リクエストの内容が正しくありません。');
  });
});

it('answers in the envelope even what is not HTTP', async () => {
  const { port } = new URL(server.url);
  for (const [bytes, status, errorCode] of [
    ['GET / HTTP/9.9\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [`GET / HTTP/1.1\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 413, 'BODY_TOO_LARGE'],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(bytes);
    const answer = (await socket.toArray()).join('');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ errorCode });
  }
});

it('answers /healthz', async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
});

it('publishes its contract for machines and for people, and loads nothing from elsewhere', async () => {
  const json = await fetch(`${server.url}/api/openapi.json`);
  expect(((await json.json()) as { servers: unknown }).servers).toEqual([{ url: `${server.url}/api` }]);
  const page = await fetch(`${server.url}/api/docs`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  expect(html).toContain('POST /upload/init');
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, address]) => address)).toEqual([
    'docs.css',
    'openapi.json',
  ]);
  expect(html).not.toMatch(/<script|style=/u);
  expect((await fetch(`${server.url}/api/docs.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8');
});
