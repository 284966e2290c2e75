import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { STYLE } from './error-responses.ts';

let server: TestServer;
let stored: string;
beforeAll(async () => {
  server = await startTestServer({ hasPages: true });
  const client = new TestClient(server);
  const { id } = await client.send(new Uint8Array(1000));
  stored = (await client.get(`/download/${id}`)).body.presignedUrl;
});
afterAll(() => server.close());

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
const CSP =
  `default-src 'none';script-src 'self';style-src 'self' ${STYLE_HASH};img-src 'self' data:;media-src 'self';font-src 'self';` +
  "connect-src 'self';worker-src 'self';manifest-src 'self';base-uri 'self';form-action 'self';frame-ancestors 'none';" +
  "require-trusted-types-for 'script';trusted-types furoshiki-workers default";
const DATA_CSP = `sandbox;default-src 'none';style-src ${STYLE_HASH};base-uri 'none';form-action 'none';frame-ancestors 'none'`;

const EVERYWHERE = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const DOCUMENT = {
  ...EVERYWHERE,
  'content-security-policy': CSP,
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': expect.stringMatching(/^accelerometer=\(\), .+=\(\)$/u) as unknown,
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
};
const NOT_FOR_SEARCH = { 'x-robots-tag': 'noindex' };
const NOT_A_DOCUMENT = { ...EVERYWHERE, ...NOT_FOR_SEARCH, 'content-security-policy': DATA_CSP };
const JSON_RESPONSE = {
  ...NOT_A_DOCUMENT,
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
};
const PAGE = { ...DOCUMENT, 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' };
const PRERENDERED_PAGE = { ...PAGE, 'content-encoding': 'gzip', vary: 'accept-encoding' };

/** These differ between responses, or belong to the connection. */
const IGNORED = new Set(['connection', 'content-length', 'date', 'etag', 'keep-alive', 'last-modified', 'set-cookie']);

async function headersOf(path: string, init?: RequestInit) {
  const response = await fetch(new URL(path, server.url), { redirect: 'manual', ...init });
  await response.arrayBuffer();
  return Object.fromEntries([...response.headers].filter(([name]) => !IGNORED.has(name)));
}

describe('the headers', () => {
  it.each([
    ['the home page', '/en', PRERENDERED_PAGE],
    ['a page of text', '/en/faq', PRERENDERED_PAGE],
    ['a download page', `/en/download/${'A'.repeat(22)}`, { ...PRERENDERED_PAGE, ...NOT_FOR_SEARCH }],
    ['a page that does not exist', '/nowhere', { ...PRERENDERED_PAGE, ...NOT_FOR_SEARCH }],
    ['the page of the API', '/api/docs', { ...PRERENDERED_PAGE, ...NOT_FOR_SEARCH }],
    ['an address without its slash', '/en/faq/', { ...DOCUMENT, ...NOT_FOR_SEARCH, location: '/en/faq' }],
    ['a response of the API', '/api/config', JSON_RESPONSE],
    ['an error of the API', '/api/nothing', { ...JSON_RESPONSE, vary: 'accept, accept-language' }],
    [
      'an address that cannot be decoded',
      '/%zz',
      {
        ...DOCUMENT,
        ...NOT_FOR_SEARCH,
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        vary: 'accept, accept-language',
      },
    ],
    [
      'an asset',
      '/assets/app.js',
      {
        ...DOCUMENT,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'application/javascript; charset=utf-8',
        vary: 'accept-encoding',
      },
    ],
  ])('of %s are exactly these', async (_, path, headers) => {
    expect(await headersOf(path)).toEqual(headers);
  });

  it('of stored bytes make them an attachment in which no script can run', async () => {
    const octets = {
      ...NOT_A_DOCUMENT,
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': 'attachment',
      'content-type': 'application/octet-stream',
    };
    expect(await headersOf(stored)).toEqual(octets);
    expect(await headersOf(stored, { headers: { range: 'bytes=0-9' } })).toEqual({
      ...octets,
      'content-range': 'bytes 0-9/1028',
    });
    expect(await headersOf(stored.replace('/store/', '/%73tore/'))).toEqual(octets);
    expect(await headersOf('/%61pi/config')).toEqual(JSON_RESPONSE);
  });
});

it.each([
  ['https', 1, 'max-age=31536000; includeSubDomains'],
  ['http', 1, null],
  ['https', undefined, null],
])('over %s, with TRUST_PROXY=%s, have the HSTS header %s', async (scheme, TRUST_PROXY, header) => {
  const behindProxy = await createTestServer({ config: { TRUST_PROXY } });
  for (const path of ['/en', '/api/config']) {
    const { headers } = await behindProxy.fetch(behindProxy.url + path, { headers: { 'x-forwarded-proto': scheme } });
    expect(headers.get('strict-transport-security')).toBe(header);
  }
  await behindProxy.close();
});

it('allow the page to connect to the analytics service and to no other origin', async () => {
  const analytics = {
    ANALYTICS_SERVICE: 'plausible',
    ANALYTICS_URL: 'https://count.example.org',
    ANALYTICS_ID: 'files.example.org',
  } as const;
  const counting = await createTestServer({ config: analytics });
  const { headers } = await counting.fetch(`${counting.url}/en`);
  expect(headers.get('content-security-policy')).toBe(
    CSP.replace("connect-src 'self'", "connect-src 'self' https://count.example.org"),
  );
  await counting.close();
});
