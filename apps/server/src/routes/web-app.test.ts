import { LISTED_SCREENS, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { BASE_PATH: '/files' }, hasPages: true });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

describe('a page', () => {
  it('contains the base path, and not the address of the request', async () => {
    const html = await (await get('/en/faq')).text();
    expect(html).toContain('<base href="/files/" />');
    expect(html).toContain('<link data-page="" href="/files/en/faq" />');
    expect(html).not.toContain(new URL(server.url).host);
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('is compressed as the client accepts it: %s', async (accepted, encoding) => {
    const response = await get('/en/faq', { 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toContain('<html lang="en">');
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await get('/en/faq')).headers.get('etag') ?? '';
    expect((await get('/en/faq', { 'if-none-match': etag })).status).toBe(304);
    expect((await get('/en/faq', { 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
    expect((await get('/en/terms', { 'if-none-match': etag })).status).toBe(200);
  });

  it('is not sent if the client asks for another version of it', async () => {
    for (const path of ['/en/faq', '/assets/app.js']) {
      expect((await get(path, { 'if-match': '"other"' })).status).toBe(412);
      expect((await get(path, { 'if-match': '*' })).status).toBe(200);
    }
  });

  it('is always sent in whole if there is nothing at its address', async () => {
    const etag = (await get('/nowhere')).headers.get('etag') ?? '';
    expect((await get('/nowhere', { 'if-none-match': etag })).status).toBe(404);
    expect((await get('/nowhere', { 'if-match': '"other"' })).status).toBe(404);
  });

  it('and its files are sent in whole, because no tag of theirs is strong', async () => {
    const { status, headers } = await get('/assets/app.js', { range: 'bytes=0-1' });
    expect([status, headers.get('accept-ranges')]).toEqual([200, null]);
  });

  it.each(['/', '/faq', '/zh-cn/faq', '/en//faq', '/download/abc', '/ko/download/abc', '/nowhere', '/index.html'])(
    'at %s is the fallback page, whatever the language of the browser',
    async (path) => {
      const [one, other] = await Promise.all(
        ['de-AT, en;q=0.5', 'zh-HK'].map(async (accepted) => (await get(path, { 'accept-language': accepted })).text()),
      );
      expect(one).toContain('<link data-page="" href="/files/fallback" />');
      expect(other).toBe(one);
    },
  );

  it.each([
    ['/en/', '/files/en'],
    ['/faq//', '/files/faq'],
    ['/en/faq/?a=/', '/files/en/faq?a=/'],
    ['//evil.example/', '/files/evil.example'],
    ['/en/download/abc/', '/files/en/download/abc'],
  ])('at %s is at the address without the slash', async (path, location) => {
    const response = await fetch(server.url + path, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, location]);
  });

  it('leads to no other site by a backslash, which browsers take for a slash', async () => {
    const { status, headers } = await sendRaw(
      server.url,
      rawGet('/files/\\evil.example\\/', 'host: files.example.org'),
    );
    expect([status, headers.get('location')]).toEqual([308, '/files/evil.example']);
  });

  it.each([
    ['/en', 200],
    ['/en/faq', 200],
    ['/contact', 200],
    ['/xx/faq', 404],
    ['/en/not-found', 404],
    ['/en/faq/more', 404],
    ['/pages/en/faq.html', 404],
    ['/assets/app.js', 200],
  ])('%s has status %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('is not sent in place of a script of an older build', async () => {
    const response = await get('/assets/index-old.js');
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });
});

describe('search engines', () => {
  it('learn from robots.txt what to skip and where the sitemap is', async () => {
    expect(await (await get('/robots.txt')).text()).toBe(
      `User-agent: *\nDisallow: /files/api/\nDisallow: /files/store/\n\nSitemap: ${server.url}/sitemap.xml\n`,
    );
  });

  it('find in the sitemap every page in every language with all its translations, and nothing else', async () => {
    const xml = await (await get('/sitemap.xml')).text();
    const listed = [...xml.matchAll(/<loc>([^<]+)<\/loc>/gu)].map(([, url = '']) => url);
    const expected = LISTED_SCREENS.flatMap((screen) => languages.map((code) => server.url + screenPath(screen, code)));
    expect(listed.toSorted()).toEqual(expected.toSorted());
    expect(xml.match(/hreflang="x-default"/gu)).toHaveLength(expected.length);
    expect(xml.match(/hreflang="ko"/gu)).toHaveLength(expected.length);
    expect(xml).not.toContain('download');
  });
});
