import { createHash } from 'node:crypto';
import {
  DATA_HEADERS,
  DATA_POLICY,
  fillPage,
  PAGE_HEADERS,
  pagePolicy,
  type Release,
  servedFiles,
} from '@furoshiki/site';
import { describe, expect, it } from 'vitest';
import type { GetResponse, ReceivedResponse, Unreachable } from './get-response.ts';
import type { Verification } from './comparison.ts';
import { LANES, verifySite } from './verify-site.ts';

const LANGUAGES = ['en', 'ja'];
const TEMPLATE = '<base href="/" />\n<link data-page="" href="/" />\n';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const plain = { 'assets/app.js': '1', 'assets/app.css': 'p{}', 'a.json': '{}' };
const empty: Release = { version: '1.2.3', commit: null, files: {} };
const pages = [...servedFiles(empty, LANGUAGES).map(({ file }) => file), 'pages/fallback.html'];
const contents: Record<string, string> = {
  ...plain,
  ...Object.fromEntries(pages.map((file) => [file, `${TEMPLATE}${file}`])),
};
const release: Release = {
  ...empty,
  files: Object.fromEntries(Object.entries(contents).map(([file, text]) => [file, sha256(text)])),
};
const served = new Map(servedFiles(release, LANGUAGES).map(({ path, file }) => [path, file]));
const TYPES = { js: 'text/javascript', css: 'text/css', json: 'application/json', html: 'text/html; charset=utf-8' };

const contentAt = (path: string) => contents[served.get(path) ?? 'pages/fallback.html'] ?? '';

type Change = (
  path: string,
  response: ReceivedResponse,
  sent: Record<string, string>,
) => ReceivedResponse | Unreachable;

/** A server at this address that changes its responses. */
class FakeServer {
  readonly requests: { path: string; language: string | undefined }[] = [];
  readonly #siteUrl: string;
  readonly #change: Change;
  running = 0;
  mostAtOnce = 0;

  constructor(siteUrl: string, change: Change = (_path, response) => response) {
    this.#siteUrl = siteUrl;
    this.#change = change;
  }

  readonly get: GetResponse = async (url, headers, stop) => {
    stop.throwIfAborted();
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await new Promise(setImmediate);
    this.running -= 1;
    const path = url.slice(this.#siteUrl.length);
    this.requests.push({ path, language: headers['Accept-Language'] });
    const file = served.get(path) ?? 'pages/fallback.html';
    const [basePath, text] = [new URL(this.#siteUrl).pathname.replace(/\/$/u, ''), contents[file] ?? ''];
    const isData = /^\/(?:api|store)\/(?!docs$)/u.test(path);
    const response: ReceivedResponse = {
      status: /^\/[\w-]{22}$/u.test(path) ? 404 : 200,
      headers: [
        ['content-type', TYPES[file.replace(/^.*\./u, '') as keyof typeof TYPES]],
        ['content-security-policy', isData ? DATA_POLICY : pagePolicy([])],
        ...Object.entries(isData ? DATA_HEADERS : PAGE_HEADERS),
      ],
      body: Buffer.from(file.startsWith('pages/') ? fillPage(text, { siteUrl: this.#siteUrl, basePath }) : text),
    };
    return this.#change(path, response, headers);
  };
}

let ids = 0;
const randomId = () => `${(ids += 1)}`.padStart(22, 'x');

function verify(server: FakeServer, siteUrl: string, signal = new AbortController().signal, onProgress = () => {}) {
  const options = { siteUrl, release, languages: LANGUAGES, connect: [], randomId, signal, onProgress };
  return verifySite({ ...options, get: server.get, retryPausesMs: [0, 0] });
}

async function resultOf(change: Change, siteUrl = 'https://example.org'): Promise<Verification> {
  const result = await verify(new FakeServer(siteUrl, change), siteUrl);
  if ('unreachable' in result) throw new Error(result.unreachable);
  return result;
}

it.each<[string, Change, boolean]>([
  // The body of the first response says which kind of pages the server has.
  ['that names no server', (path, response) => ({ ...response, body: Buffer.from(contentAt(path)) }), true],
  ['with full link previews', (_path, response) => response, false],
])('a server with pages %s is told apart', async (_, change, isPublished) => {
  expect(await resultOf(change)).toMatchObject({ isPublished, differences: [] });
});

it('a server that mixes both kinds of pages differs', async () => {
  const { differences } = await resultOf((path, response) =>
    path === '/en/faq' ? { ...response, body: Buffer.from(contentAt(path)) } : response,
  );
  expect(differences).toMatchObject([{ path: '/en/faq', kind: 'changed' }]);
});

it('names what was added on the way, once', async () => {
  const cdn = [
    ['cf-ray', '1'],
    ['x-cache', 'HIT'],
  ] as const;
  const result = await resultOf((_path, response) => ({ ...response, headers: [...response.headers, ...cdn] }));
  expect(result).toMatchObject({ added: ['cf-ray', 'x-cache'], differences: [] });
});

const unreachable = { unreachable: 'ECONNRESET' };

describe.each(['https://example.org', 'https://example.org/our/files'])('the unchanged server %s', (siteUrl) => {
  it('has no differences', async () => {
    const server = new FakeServer(siteUrl);
    const result = await verify(server, siteUrl);
    expect(result).toMatchObject({ fileCount: Object.keys(contents).length, differences: [], unchecked: [] });
    expect(server.mostAtOnce).toBe(LANES);
    // A fallback page may depend on the language of the browser.
    const languagesOf = (path: string) =>
      server.requests.filter((one) => one.path === path).map(({ language }) => language);
    for (const path of ['/', '', '/faq', '/download']) expect(new Set(languagesOf(path)).size).toBe(2);
    // Two browsers, two visits.
    expect(server.requests.filter(({ path }) => path.startsWith('/ja/download/'))).toHaveLength(4);
  });
});

it('names each path that differs once, sorted', async () => {
  const { differences } = await resultOf((path, response) =>
    ['/faq', '/assets/app.js', '/ja/terms'].includes(path) ? { ...response, body: Buffer.from('x') } : response,
  );
  expect(differences.map(({ path, kind }) => [path, kind])).toEqual([
    ['/assets/app.js', 'changed'],
    ['/faq', 'changed'],
    ['/ja/terms', 'changed'],
  ]);
});

it.each(['gzip, deflate, br, zstd', 'gzip, deflate', 'identity'])(
  'compares each text as a client gets it that accepts %s',
  async (encoding) => {
    const { differences } = await resultOf((path, response, sent) =>
      ['/ja/faq', '/a.json'].includes(path) && sent['Accept-Encoding'] === encoding
        ? { ...response, body: Buffer.from('x') }
        : response,
    );
    expect(differences.map(({ path }) => path)).toEqual(['/a.json', '/ja/faq']);
  },
);

it('compares the fallback page in every language of the browser', async () => {
  let isSecond = false;
  const { differences } = await resultOf((path, response) => {
    if (path !== '/download') return response;
    isSecond = !isSecond;
    return isSecond ? response : { ...response, body: Buffer.from('x') };
  });
  expect(differences.map(({ path }) => path)).toEqual(['/download']);
});

it('expects the same policy everywhere', async () => {
  const other = (path: string) => pagePolicy(path === '/a.json' ? ['https://evil.example'] : []);
  const { differences } = await resultOf((path, response) => ({
    ...response,
    headers: response.headers.map(([name, value]) => [name, value === pagePolicy([]) ? other(path) : value]),
  }));
  expect(differences).toMatchObject([
    { path: '/a.json', kind: 'policy', detail: "+connect-src 'self' https://evil.example; -connect-src 'self'" },
  ]);
});

describe('what cannot be requested', () => {
  it.each([unreachable, { status: 503 }, { status: 429 }])('is requested again: %j', async (failure) => {
    const failed = new Set<string>();
    const { differences, unchecked } = await resultOf((path, response) => {
      if (failed.has(path)) return response;
      failed.add(path);
      return 'status' in failure ? { ...response, ...failure } : failure;
    });
    expect([differences, unchecked]).toEqual([[], []]);
  });

  it('is reported apart from what differs', async () => {
    const { differences, unchecked } = await resultOf((path, response) =>
      path === '/a.json' ? { ...response, status: 502 } : response,
    );
    expect([differences, unchecked]).toEqual([[], [{ path: '/a.json', file: 'a.json', reason: '502' }]]);
  });

  it('ends the check if it is the first address', async () => {
    const server = new FakeServer('https://example.org', () => unreachable);
    expect(await verify(server, 'https://example.org')).toEqual(unreachable);
    expect(server.requests).toHaveLength(3);
  });

  it('ends the check if it is everything from then on', async () => {
    const server = new FakeServer('https://example.org', (path, response) =>
      path.length < 2 ? response : unreachable,
    );
    const result = (await verify(server, 'https://example.org')) as Verification;
    // Also the first address, because its second visit was not possible, and three of data.
    expect(result.unchecked).toHaveLength(result.addressCount + 3);
    expect(server.requests.length).toBeLessThan(60);
  });
});

it('stops when it is aborted', async () => {
  const controller = new AbortController();
  const server = new FakeServer('https://example.org');
  await expect(verify(server, 'https://example.org', controller.signal, () => controller.abort())).rejects.toThrow(
    'CANCELLED',
  );
  expect(server.requests.length).toBeLessThan(3 * LANES);
});

/** How a server could recognise the check. Each server here changes one script for some visitors. */
it.each<[string, (sent: Record<string, string>) => boolean]>([
  ['accept zstd', (sent) => sent['Accept-Encoding']?.includes('zstd') === true],
  ['run Chromium', (sent) => 'sec-ch-ua' in sent],
  ['run Firefox', (sent) => sent['User-Agent']?.includes('Firefox') === true],
  ['load it as a module', (sent) => sent['Sec-Fetch-Mode'] === 'cors' && sent['Sec-Fetch-Dest'] === 'script'],
  ['have a cookie', (sent) => sent['Cookie'] === 'furoshiki=x'],
  ['have it in their cache', (sent) => sent['If-None-Match'] === '"x"'],
])('notices a script that is changed for those who %s', async (_, isVictim) => {
  const { differences } = await resultOf((path, response, sent) => {
    if (path === '/api/config')
      return { ...response, headers: [...response.headers, ['set-cookie', 'furoshiki=x; Path=/']] };
    if (path !== '/assets/app.js') return response;
    const headers: ReceivedResponse['headers'] = [...response.headers, ['etag', '"x"']];
    return { ...response, headers, ...(isVictim(sent) && { body: Buffer.from('x') }) };
  });
  expect(differences.map(({ path, kind }) => [path, kind])).toEqual([['/assets/app.js', 'changed']]);
});

it('requests the page of a link that it is given', async () => {
  const server = new FakeServer('https://example.org', (path, response) =>
    path === '/ja/download/known' ? { ...response, body: Buffer.from('x') } : response,
  );
  const options = { siteUrl: 'https://example.org', release, languages: LANGUAGES, connect: [], randomId };
  const rest = { signal: new AbortController().signal, onProgress: () => {}, get: server.get };
  const result = await verifySite({ ...options, ...rest, pagePath: '/ja/download/known' });
  expect(result).toMatchObject({ differences: [{ path: '/ja/download/known', kind: 'changed' }] });
});
