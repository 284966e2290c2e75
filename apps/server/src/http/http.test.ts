import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Config } from '../config/config.ts';

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const post = (path: string, headers: Record<string, string>, body = '{}') =>
  server.fetch(`${server.url}/api${path}`, { method: 'POST', headers, body });

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

  it('must be present, genuine and sent with the cookie that it was issued for', async () => {
    const mine = await cookieAndToken();
    const other = await cookieAndToken();
    expect(await codeOf(mine)).toEqual(passed);
    expect(await codeOf({ cookie: mine.cookie })).toEqual(refused);
    expect(await codeOf({ 'x-csrf-token': mine['x-csrf-token'] })).toEqual(refused);
    expect(await codeOf({ ...mine, cookie: other.cookie })).toEqual(refused);
    expect(await codeOf({ ...mine, 'x-csrf-token': `9${mine['x-csrf-token']}` })).toEqual(refused);
    expect(await codeOf({ ...mine, 'x-csrf-token': 'nonsense' })).toEqual(refused);
  });

  it('is valid for 25 minutes', async () => {
    const mine = await cookieAndToken();
    server.wait(24 * 60_000);
    expect(await codeOf(mine)).toEqual(passed);
    server.wait(60_000);
    expect(await codeOf(mine)).toEqual(refused);
  });

  it('comes with a cookie that scripts and other sites cannot use', async () => {
    const response = await post('/csrf-token', {}, '');
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^furoshiki=[\w-]{22}; Max-Age=259200; Path=\/; HttpOnly; SameSite=Strict$/u,
    );
  });

  it('renews the cookie of a client and replaces a malformed one', async () => {
    const { cookie } = await cookieAndToken();
    const cookieAfter = async (given: string) =>
      (await post('/csrf-token', { cookie: given }, '')).headers.getSetCookie()[0]?.split(';')[0];
    expect(await cookieAfter(cookie)).toBe(cookie);
    expect(await cookieAfter('furoshiki=nonsense')).toMatch(/^furoshiki=[\w-]{22}$/u);
  });

  it('has a cookie that no other site can plant, over https and without a base path', async () => {
    const cookieNameOf = async (config: Partial<Config>) => {
      const other = await createTestServer({ config });
      const { headers } = await other.fetch(`${other.url}/api/csrf-token`, { method: 'POST' });
      await other.close();
      return headers.getSetCookie()[0]?.replace(/=.*; Path/u, '; Path');
    };
    const PUBLIC_ORIGIN = 'https://files.example.org';
    const attributes = (path: string) => `; Path=${path}; HttpOnly; Secure; SameSite=Strict`;
    expect(await cookieNameOf({ PUBLIC_ORIGIN })).toBe(`__Host-furoshiki${attributes('/')}`);
    expect(await cookieNameOf({ PUBLIC_ORIGIN, BASE_PATH: '/files' })).toBe(`furoshiki${attributes('/files')}`);
  });

  it('recognises a browser by its older cookie, and renews it under the new name', async () => {
    const secure = await createTestServer({ config: { PUBLIC_ORIGIN: 'https://files.example.org' } });
    const renewed = async (cookie: string) => {
      const { headers } = await secure.fetch(`${secure.url}/api/csrf-token`, { method: 'POST', headers: { cookie } });
      return headers.getSetCookie()[0]?.split(';')[0];
    };
    const [old, own] = ['a'.repeat(22), 'b'.repeat(22)];
    expect(await renewed(`furoshiki=${old}`)).toBe(`__Host-furoshiki=${old}`);
    expect(await renewed(`furoshiki=${old}; __Host-furoshiki=${own}`)).toBe(`__Host-furoshiki=${own}`);
    expect(await renewed(`__Host-furoshiki=${own}; furoshiki=${old}`)).toBe(`__Host-furoshiki=${own}`);
    await secure.close();
  });

  it('sets no cookie for a navigation from another site, where the browser withholds its cookie', async () => {
    const cookiesFrom = async (site: string) => {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' };
      const responses = [
        await server.fetch(`${server.url}/api/openapi.json`, { headers }),
        await post('/csrf-token', headers, ''),
      ];
      return responses.map((response) => [response.status, response.headers.getSetCookie().length]);
    };
    const both = (cookies: number) => [200, 200].map((status) => [status, cookies]);
    expect(await cookiesFrom('cross-site')).toEqual(both(0));
    for (const site of ['same-origin', 'same-site', 'none']) expect(await cookiesFrom(site)).toEqual(both(1));
  });
});

describe('a bad request gets the error body', () => {
  const json = { 'content-type': 'application/json' };
  it.each<[string, number, string, () => Promise<Response>, string?]>([
    ['broken JSON', 400, 'VALIDATION_FAILED', () => post('/upload/init', json, '{"fileName":'), 'body'],
    ['a prototype in JSON', 400, 'VALIDATION_FAILED', () => post('/upload/init', json, '{"__proto__":{}}'), 'body'],
    ['another content type', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('/upload/init', { 'content-type': 'text/xml' })],
    ['more than 256 KB', 413, 'BODY_TOO_LARGE', () => post('/upload/init', json, `"${'x'.repeat(1 << 18)}"`)],
    ['an unknown call', 404, 'NOT_FOUND', () => post('/nothing', json)],
    ['a malformed id', 404, 'NOT_FOUND', () => server.fetch(`${server.url}/api/download/info/x`)],
    ['a bad URL', 400, 'VALIDATION_FAILED', () => server.fetch(`${server.url}/api/%`), 'url'],
    [
      'an unsigned PUT',
      403,
      'SIGNATURE_INVALID',
      () => server.fetch(`${server.url}/store/x/1`, { method: 'PUT', body: 'x' }),
    ],
    ['an unsigned GET', 403, 'SIGNATURE_INVALID', () => server.fetch(`${server.url}/store/x`)],
  ])('for %s', async (_, status, errorCode, request, field) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errorCode, error: expect.any(String), message: expect.any(String), field });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('in the reader’s language', async () => {
    const client = new TestClient(server);
    const textIn = async (language: string) =>
      (await client.get(`/download/${'A'.repeat(22)}?demo=x`, { 'accept-language': language })).body.error;
    expect(await textIn('en-GB')).toBe('The request isn’t valid.');
    expect(await textIn('xx, ja;q=0.5')).toBe('リクエストの内容が正しくありません。');
  });
});

it('publishes its API as JSON', async () => {
  const json = await server.fetch(`${server.url}/api/openapi.json`);
  expect(((await json.json()) as { servers: unknown }).servers).toEqual([{ url: server.url }]);
});
