import { DATA_POLICY, pagePolicy } from '@furoshiki/site';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { prefersPage } from './error-responses.ts';

/** What Chromium sends when a person opens an address. */
const NAVIGATION =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
let server: TestServer;
let signed: string;
beforeAll(async () => {
  server = await createTestServer({ config: { BASE_PATH: '/files' }, hasPages: true });
  const client = new TestClient(server);
  const { id } = await client.send(new Uint8Array(10));
  signed = (await client.get(`/download/${id}`)).body.presignedUrl as string;
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  server.fetch(path.startsWith('http') ? path : server.url + path, { method, headers });

/** What is outside of the base path is nothing of the site. */
const isDataPath = (path: string) => /^\/(?:api|store)\/|^http/u.test(path);

describe('a browser gets a page', () => {
  it.each<[string, number, () => string, string?, Record<string, string>?]>([
    ['that cannot be decoded', 400, () => '/%zz'],
    ['that is too long', 414, () => `/${'x'.repeat(9000)}`],
    ['of another host', 400, () => '/en', 'GET', { host: 'a b' }],
    ['that is not in the API', 404, () => '/api/nothing'],
    ['that is not in the store', 404, () => '/store/a/b/c'],
    ['outside of the base path', 404, () => 'http://127.0.0.1/'],
    ['that is not signed', 403, () => '/store/x'],
    ['that has another signature', 403, () => signed.replace(/signature=./u, 'signature=!')],
    ['of a call that takes no GET', 405, () => '/api/upload/init'],
    ['that takes no form', 405, () => '/en/faq', 'POST'],
    ['of a range that is outside of the file', 416, () => signed, 'GET', { range: 'bytes=999-' }],
  ])('for an address %s', async (_, status, path, method, headers) => {
    const response = await get(path(), { accept: NAVIGATION, 'accept-language': 'fr', ...headers }, method);
    const html = await response.text();
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': isDataPath(path()) ? DATA_POLICY : pagePolicy([]),
      'cache-control': 'no-store',
      vary: 'accept, accept-language',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(response.headers.get('content-disposition')).toBe(null);
    expect(html).toMatch(/^<!doctype html>\n<html lang="fr">/u);
    expect(html).toContain('<a href="/files/">Retour à l’accueil</a>');
    expect(html).not.toMatch(/<script|\ssrc=|a b|xxx/u);
  });

  it('for an expired address and for an error of the server, whose cause it does not name', async () => {
    const broken = await createTestServer();
    const client = new TestClient(broken);
    const { id } = await client.send(new Uint8Array(10));
    const { presignedUrl } = (await client.get(`/download/${id}`)).body as { presignedUrl: string };
    const headers = { accept: NAVIGATION, 'accept-language': 'en' };
    const page = async (url: string) => {
      const response = await broken.fetch(url, { headers });
      return [response.status, /<h1>(.*)<\/h1>/u.exec(await response.text())?.[1]];
    };
    broken.context.objects.sizeOf = () => Promise.reject(new Error('secret'));
    expect(await page(presignedUrl)).toEqual([500, 'Something went wrong on the server. Please try again later.']);
    broken.wait(24 * 3_600_000);
    expect(await page(presignedUrl)).toEqual([403, expect.stringContaining('expired')]);
    await broken.close();
  });

  it('of the site for an unknown address', async () => {
    const response = await get('/nowhere', { accept: NAVIGATION, 'accept-language': 'fr' });
    expect(await response.text()).toContain('assets/app.js');
  });
});

it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0, */*', 'image/*'])(
  'a program that accepts %s gets JSON',
  async (accept) => {
    for (const path of ['/%zz', '/api/nothing', '/store/x', '/assets/old.js']) {
      const response = await get(path, accept === undefined ? {} : { accept });
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('vary')).toBe('accept, accept-language');
    }
  },
);

it('never sends a page in place of a script of an older build', async () => {
  const response = await get('/assets/old.js', { accept: NAVIGATION });
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

it.each([
  ['text/html', true],
  ['TEXT/HTML; charset=utf-8', true],
  ['application/json;q=0.5, text/html;q=0.9', true],
  ['application/json;q=0.9, text/html;q=0.5', false],
  ['text/html;q=x', false],
  ['', false],
])('reads what a client accepts: %s', (accept, expected) => {
  expect(prefersPage(accept)).toBe(expected);
});
