import { createHash } from 'node:crypto';
import { DATA_HEADERS, DATA_POLICY, fillPage, PAGE_HEADERS, pagePolicy } from '@furoshiki/site';
import { describe, expect, it } from 'vitest';
import type { Check } from './checks.ts';
import { differencesOf, type Site } from './compare.ts';
import type { ReceivedResponse } from './get-response.ts';

const TEMPLATE = '<!doctype html><base href="/" />\n<meta data-page="" content="/social/en.png" />\n<p>é';
const SCRIPT = 'console.log(1)';
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const STORE = 'https://s3.example.org';
const SITE: Site = {
  siteUrl: 'https://example.org/files',
  basePath: '/files',
  pageAddress: { siteUrl: 'https://example.org/files', basePath: '/files' },
  release: {
    version: '1.2.3',
    commit: null,
    files: {
      'pages/en/faq.html': sha256(TEMPLATE),
      'app.js': sha256(SCRIPT),
      'app.css': sha256('p{}'),
      'a.json': sha256('{}'),
    },
  },
  allowedOrigins: new Set(['https://example.org', STORE]),
  policy: pagePolicy(['https://example.org', STORE]),
};
const request = { browser: 'chromium', kind: 'document' } as const;
const common = { status: 200, request, isData: false, isSecondVisit: false } as const;
const PAGE: Check = { ...common, path: '/en/faq', file: 'pages/en/faq.html', isTemplate: true };
const checkOf = (file: string): Check => ({ ...common, path: `/${file}`, file, isTemplate: false });

interface Sent {
  status?: number;
  headers?: Record<string, string | string[] | undefined>;
  body?: Buffer | string;
}

function received(type: string, { status = 200, headers = {}, body = '' }: Sent): ReceivedResponse {
  const all = { 'content-type': type, 'content-security-policy': SITE.policy, ...PAGE_HEADERS, ...headers };
  return {
    status,
    headers: Object.entries(all).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, value]),
    ),
    body: body === 'tooLarge' || body === 'unreadable' ? body : Buffer.from(body),
  };
}

const HTML = 'text/html; charset=utf-8';
const ofPage = (sent: Sent = {}, site = SITE) =>
  differencesOf(PAGE, received(HTML, { body: fillPage(TEMPLATE, SITE.pageAddress), ...sent }), site);
const ofScript = (sent: Sent = {}) =>
  differencesOf(checkOf('app.js'), received('text/javascript; charset=utf-8', { body: SCRIPT, ...sent }), SITE);

describe('a page', () => {
  it('does not differ if the server has filled in its own address', () => {
    expect(ofPage()).toEqual([]);
  });

  it.each([
    ['one changed byte', fillPage(TEMPLATE, SITE.pageAddress).replace('é', 'è')],
    ['a byte order mark', `\uFEFF${fillPage(TEMPLATE, SITE.pageAddress)}`],
    ['no bytes', ''],
    ['bytes that are not UTF-8', Buffer.from(fillPage(TEMPLATE, SITE.pageAddress), 'latin1')],
  ])('differs with %s', (_, body) => {
    expect(ofPage({ body })).toMatchObject([{ path: '/files/en/faq', kind: 'changed' }]);
  });

  it('says which script was added', () => {
    const body = `${fillPage(TEMPLATE, SITE.pageAddress)}<script src="/evil.js"></script>`;
    expect(ofPage({ body })).toEqual([
      {
        path: '/files/en/faq',
        file: 'pages/en/faq.html',
        kind: 'changed',
        expected: sha256(TEMPLATE),
        received: sha256(body),
        notes: [{ note: 'loads', url: '/evil.js' }],
      },
    ]);
  });

  it.each([
    [{ siteUrl: 'http://10.0.0.1:3000', basePath: '' }, 'http://10.0.0.1:3000'],
    [{ siteUrl: 'https://other.example/files', basePath: '/files' }, 'https://other.example/files'],
    [{ siteUrl: '/other', basePath: '/other' }, '/other'],
    [{ siteUrl: '', basePath: '' }, '/'],
  ])('that is made for %j says so', (address, shown) => {
    expect(ofPage({ body: fillPage(TEMPLATE, address) })).toMatchObject([{ kind: 'address', address: shown }]);
  });

  it('that is made for another address and changed is changed', () => {
    const body = `${fillPage(TEMPLATE, { siteUrl: 'http://10.0.0.1', basePath: '' })} `;
    expect(ofPage({ body })).toMatchObject([{ kind: 'changed' }]);
  });
});

it.each([
  'clear-site-data',
  'content-security-policy-report-only',
  'integrity-policy-report-only',
  'link',
  'nel',
  'refresh',
  'report-to',
  'service-worker-allowed',
  'set-cookie',
  'sourcemap',
  'speculation-rules',
  'use-as-dictionary',
  'x-sourcemap',
  'x-webkit-csp',
])('differs with the header %s, which browsers use', (name) => {
  expect(ofScript({ headers: { [name]: 'x' } })).toMatchObject([{ kind: 'header', name }]);
});

it.each<[string, Sent, object]>([
  ['is changed', { body: `${SCRIPT} ` }, { kind: 'changed', notes: [] }],
  ['ends early', { body: SCRIPT.slice(1) }, { kind: 'changed' }],
  ['cannot be decoded', { body: 'unreadable' }, { kind: 'changed', received: null }],
  ['does not end', { body: 'tooLarge' }, { kind: 'tooLarge' }],
  ['is missing', { status: 404 }, { kind: 'missing' }],
  ['is gone', { status: 410 }, { kind: 'missing' }],
  ['is refused', { status: 403 }, { kind: 'status', status: 403, expected: 200 }],
  ['is partial', { status: 206 }, { kind: 'status', status: 206 }],
  [
    'redirects',
    { status: 302, headers: { location: 'https://evil.example/app.js' } },
    { kind: 'redirect', target: 'https://evil.example/app.js' },
  ],
  ['redirects to its own site', { status: 308, headers: { location: '/files/app.js' } }, { kind: 'redirect' }],
  [
    'has a Link header',
    { headers: { link: '</evil.js>; rel=preload' } },
    { kind: 'header', name: 'link', value: '</evil.js>; rel=preload' },
  ],
  ['has a Refresh header', { headers: { refresh: '0' } }, { kind: 'header', name: 'refresh' }],
])('a script that %s differs', (_, sent, what) => {
  expect(ofScript(sent)).toMatchObject([{ path: '/files/app.js', file: 'app.js', ...what }]);
});

it('a fallback page may not have the status of a page', () => {
  const check: Check = { ...PAGE, status: 404 };
  const body = fillPage(TEMPLATE, SITE.pageAddress);
  expect(differencesOf(check, received(HTML, { body, status: 404 }), SITE)).toEqual([]);
  expect(differencesOf(check, received(HTML, { body }), SITE)).toMatchObject([{ kind: 'status', expected: 404 }]);
});

it('a page that the browser has may be unchanged, with the same policy', () => {
  const check: Check = { ...PAGE, isSecondVisit: true };
  expect(differencesOf(check, received(HTML, { status: 304 }), SITE)).toEqual([]);
  expect(differencesOf(PAGE, received(HTML, { status: 304 }), SITE)).toMatchObject([{ kind: 'status' }]);
  const headers = { 'content-security-policy': 'default-src *' };
  expect(differencesOf(check, received(HTML, { status: 304, headers }), SITE)).toMatchObject([{ kind: 'policy' }]);
});

it.each([
  [
    'app.js',
    SCRIPT,
    ['text/javascript', 'application/javascript; charset=UTF-8'],
    ['text/html', 'text/plain', '', 'text/javascript; charset=utf-16'],
  ],
  ['app.css', 'p{}', ['text/css; charset=utf-8'], ['text/html', 'text/css; charset=utf-7']],
  [
    'a.json',
    '{}',
    ['application/json', 'text/plain'],
    ['text/html; charset=utf-8', 'text/javascript', 'application/xhtml+xml'],
  ],
])('%s may only have its own type', (file, body, right, wrong) => {
  const kinds = (type: string) => differencesOf(checkOf(file), received(type, { body }), SITE).map(({ kind }) => kind);
  for (const type of right) expect([type, kinds(type)]).toEqual([type, []]);
  for (const type of wrong) expect([type, kinds(type)]).toEqual([type, ['type']]);
});

it.each([
  'text/html',
  'text/html; charset=utf-7',
  'text/html; charset=utf-8; charset=utf-7',
  'text/plain; charset=utf-8',
  '',
])('a page may not have the type %j', (type) => {
  expect(ofPage({ headers: { 'content-type': type } })).toMatchObject([{ kind: 'type', type }]);
});

describe('a policy', () => {
  const policy = (value: string | string[] | undefined) => ofPage({ headers: { 'content-security-policy': value } });

  it.each([
    ['is missing', undefined, { policies: [] }],
    ['is there twice', [SITE.policy, SITE.policy], { policies: [SITE.policy, SITE.policy] }],
    ['has one more character', `${SITE.policy} `, { kind: 'policy' }],
    ['is a list', `${SITE.policy}, default-src *`, { kind: 'policy' }],
    [
      'allows another script',
      SITE.policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
      { detail: "+script-src 'self' 'unsafe-inline'; -script-src 'self'" },
    ],
    ['lacks a directive', SITE.policy.replace("worker-src 'self';", ''), { detail: "-worker-src 'self'" }],
    ['allows another origin than the first one', pagePolicy(['https://evil.example']), { kind: 'policy' }],
  ])('differs if it %s', (_, value, what) => {
    expect(policy(value)).toMatchObject([{ kind: 'policy', ...what }]);
  });

  it.each(['https://evil.example', '*', 'https:', ''])('names the origin %j unless it was expected', (origin) => {
    const other = pagePolicy(['https://example.org', origin]);
    const sent = { headers: { 'content-security-policy': other } };
    expect(ofPage(sent, { ...SITE, policy: other })).toMatchObject([{ kind: 'origin', origin }]);
  });
});

describe('a header', () => {
  it.each(Object.keys(PAGE_HEADERS))('%s must be there, once and with its value', (name) => {
    expect(ofPage({ headers: { [name]: undefined } })).toMatchObject([{ kind: 'noHeader', name }]);
    expect(ofPage({ headers: { [name]: 'x' } })).toMatchObject([{ kind: 'header', name, value: 'x' }]);
    const twice = [PAGE_HEADERS[name] ?? '', PAGE_HEADERS[name] ?? ''];
    expect(ofPage({ headers: { [name]: twice } })).toHaveLength(2);
  });

  it.each([
    ['service-worker-allowed', '/'],
    ['clear-site-data', '"*"'],
    ['set-cookie', 'a=b'],
    ['speculation-rules', '"/evil.json"'],
    ['alt-svc', 'h3="evil.example:443"; ma=60'],
    ['content-security-policy-report-only', 'default-src *'],
    ['reporting-endpoints', 'a="https://evil.example"'],
    ['sourcemap', '/evil.map'],
  ])('%s: %s is not one of the release', (name, value) => {
    expect(ofScript({ headers: { [name]: value } })).toMatchObject([{ kind: 'header', name, value }]);
  });

  it.each([
    ['alt-svc', 'h3=":443"; ma=2592000'],
    ['alt-svc', 'h3=":443"; ma=86400, h2=":443"'],
    ['server', 'nginx'],
    ['strict-transport-security', 'max-age=1'],
    ['x-webcat-version', '1.2.3'],
  ])('%s: %s changes nothing', (name, value) => {
    expect(ofScript({ headers: { [name]: value } })).toEqual([]);
  });
});

describe('data', () => {
  const check: Check = { ...common, path: '/api/config', file: '/api/config', isTemplate: false, isData: true };
  const of = (headers: Record<string, string>, status = 200) => {
    const all = { 'content-security-policy': DATA_POLICY, ...DATA_HEADERS, ...headers };
    return differencesOf(check, { status, headers: Object.entries(all), body: Buffer.from('{}') }, SITE);
  };

  it('may have any status and a cookie', () => {
    expect(of({ 'set-cookie': 'a=b' }, 404)).toEqual([]);
  });

  it.each([
    ['a weaker policy', { 'content-security-policy': SITE.policy }, { kind: 'policy' }],
    ['another type', { 'x-content-type-options': 'x' }, { kind: 'header', name: 'x-content-type-options' }],
    ['a link', { link: '</evil.js>; rel=preload' }, { kind: 'header', name: 'link' }],
  ])('may not have %s', (_, headers, what) => {
    expect(of(headers)).toMatchObject([{ path: '/files/api/config', ...what }]);
  });
});
