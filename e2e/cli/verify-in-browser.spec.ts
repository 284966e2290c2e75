// What `furoshiki verify` notices with its own requests, and what with those of a browser: the same dishonest server for each.
// docs/VERIFYING.md has these rows in its table.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { parseRelease } from '@furoshiki/site';
import type { Verification } from '../../tools/verify/src/comparison.ts';
import { createGetResponse } from '../../tools/verify/src/get-response.ts';
import { verifyInBrowser } from '../../tools/verify/src/verify-in-browser.ts';
import { LANES, verifySite } from '../../tools/verify/src/verify-site.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { findChromium } from '../../scripts/ensure-programs.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { CliUser } from '../support/cli.ts';
import { BROWSERS } from '../support/other-browsers.ts';
import {
  addHeader,
  addToBody,
  replaceHeader,
  setStatus,
  type Tamper,
  TamperingProxy,
} from '../support/tampering-proxy.ts';
import { expect, test } from '../support/test.ts';

const release = parseRelease(readFileSync(join(ROOT, 'apps', 'web', 'dist', 'build.json'), 'utf8'));
const fileLike = (pattern: RegExp) => `/${Object.keys(release.files).find((file) => pattern.test(file)) ?? ''}`;

/** What the server knows of a visitor. */
interface Visitor {
  requests: number;
  /** The page that was requested last. */
  page: string;
  /** How often each path was requested. */
  times: Map<string, number>;
}
type When = (request: IncomingMessage, visitor: Visitor) => boolean;

const header =
  (name: string, pattern: RegExp): When =>
  ({ headers }) =>
    pattern.test(String(headers[name] ?? ''));
const always: When = () => true;
const addScript = addToBody('<script>alert(1)</script>');
const addCode = addToBody(';globalThis.stolen = true;');
const GIVEN = `/download/${randomBytes(16).toString('base64url')}`;
const OTHER = `/download/${randomBytes(16).toString('base64url')}`;

type Check = 'requests' | 'chromium' | 'firefox';
const ALL: Check[] = ['requests', 'chromium', 'firefox'];
const NONE: Check[] = [];

/** Each at another path, so that one run shows all. */
const ATTACKS: readonly [name: string, path: string, change: Tamper, when: When, noticedBy: Check[]][] = [
  ['a script in a page, for everyone', '/en/how-to-use', addScript, always, ALL],
  ['only for browsers that accept zstd', '/en/faq', addScript, header('accept-encoding', /zstd/u), ALL],
  ['only for Firefox', '/en/security', addScript, header('user-agent', /Firefox/u), ['requests', 'firefox']],
  ['only for Chromium', '/en/privacy', addScript, header('user-agent', /\) Chrome\//u), ['requests', 'chromium']],
  ['only with a cookie', '/en/terms', addScript, header('cookie', /./u), ALL],
  ['only without a cookie', '/', addScript, header('cookie', /^$/u), ALL],
  [
    'only if a page is requested again',
    '/en/encryption-info',
    addScript,
    (_, { times }) => (times.get('/en/encryption-info') ?? 0) > 1,
    ALL,
  ],
  ['the page of the given link', GIVEN, addScript, always, ALL],
  ['a module', fileLike(/^assets\/qr-code-.*\.js$/u), addCode, header('sec-fetch-mode', /^cors$/u), ALL],
  ['a worker', fileLike(/^assets\/upload\.worker-.*\.js$/u), addCode, header('sec-fetch-dest', /^worker$/u), ALL],
  ['a service worker', '/save.worker.js', addCode, header('service-worker', /^script$/u), ['requests', 'chromium']],
  ['a style', fileLike(/^assets\/qr-code-.*\.css$/u), addToBody(' '), always, ALL],
  [
    'a weaker policy',
    '/en/legal-notice',
    replaceHeader('content-security-policy', (policy) => policy.replace("'self'", '*')),
    always,
    ALL,
  ],
  ['a header of a script', '/theme.js', addHeader('Service-Worker-Allowed', '/'), always, ALL],
  ['a header of the API', '/api/config', addHeader('Speculation-Rules', '"/rules.json"'), always, ALL],
  ['a redirect', '/icons/192.png', setStatus(302, 'Location', '/icon.svg'), always, ALL],
  ['no nosniff', '/preload.js', replaceHeader('x-content-type-options', () => ''), always, ALL],
  // A browser requests what a page needs after that page. `verify` goes through a list.
  [
    'only if the right page was requested before',
    fileLike(/^assets\/contact-screen-.*\.js$/u),
    addCode,
    (_, { page }) => page === '/en/contact',
    ['chromium', 'firefox'],
  ],
  ['only for Safari', '/en/contact', addScript, header('user-agent', /Version\/.* Safari/u), NONE],
  ['only in Korean', '/download', addScript, header('accept-language', /^ko/u), NONE],
  ['only after 2,000 requests', '/en', addScript, (_, { requests }) => requests > 2000, NONE],
  ['the page of another link', OTHER, addScript, always, NONE],
];

const HIDDEN = { requests: undefined, chromium: [], firefox: ['/bystander.js', '/save.worker.js'] };
const PROGRAMS = { chromium: findChromium(), firefox: BROWSERS.Firefox.program };

async function verifyWith(check: Check, siteUrl: string, languages = ['en']): Promise<Verification> {
  const options = {
    siteUrl,
    release,
    languages,
    connect: [],
    pagePath: GIVEN,
    randomId: () => randomBytes(16).toString('base64url'),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  };
  const result =
    check === 'requests'
      ? await verifySite({ ...options, get: createGetResponse({ connections: LANES }) })
      : await verifyInBrowser({ ...options, program: PROGRAMS[check] ?? '' });
  if ('unreachable' in result) throw new Error(result.unreachable);
  return result;
}

for (const check of ALL) {
  const skip = () => test.skip(check !== 'requests' && PROGRAMS[check] === undefined, `${check} is not installed`);

  test(`verify with ${check} notices what it can, and nothing else`, async ({ server }) => {
    skip();
    const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
    try {
      const honest = await verifyWith(check, proxy.url);
      expect([honest.differences, honest.unchecked, honest.isPublished]).toEqual([[], [], true]);
      expect(honest.browser?.hidden).toEqual(HIDDEN[check]);

      const visitor: Visitor = { requests: 0, page: '', times: new Map() };
      proxy.onRequest = ({ url = '', headers }) => {
        visitor.requests += 1;
        visitor.times.set(url, (visitor.times.get(url) ?? 0) + 1);
        if (headers['sec-fetch-dest'] === 'document') visitor.page = url;
      };
      for (const [, path, change, when] of ATTACKS)
        proxy.changes.set(path, (passing, response, request) => {
          if (when(request, visitor)) change(passing, response, request);
        });
      const { differences } = await verifyWith(check, proxy.url);
      const named = new Set(differences.map(({ path }) => path));
      const noticed = ATTACKS.filter(([, path]) => named.has(path)).map(([name]) => name);
      expect(noticed).toEqual(ATTACKS.filter(([, , , , by]) => by.includes(check)).map(([name]) => name));
      expect(named.size).toBe(noticed.length);
    } finally {
      await proxy.discard();
    }
  });
}

/** Without it no page works, so it is changed alone. */
const MAIN = [fileLike(/^assets\/index-.*\.js$/u), fileLike(/^assets\/app-.*\.css$/u)];
for (const check of ALL)
  test(`verify with ${check} notices another main script and another style`, async ({ server }) => {
    test.skip(check !== 'requests' && PROGRAMS[check] === undefined, `${check} is not installed`);
    const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
    try {
      for (const path of MAIN) proxy.changes.set(path, addToBody(' '));
      const { differences } = await verifyWith(check, proxy.url, []);
      expect(differences.map(({ path, kind }) => [path, kind])).toEqual(
        MAIN.toSorted().map((path) => [path, 'changed']),
      );
    } finally {
      await proxy.discard();
    }
  });

test('verify --browser says that there is no such browser, or no such server', async ({ server }) => {
  test.skip(PROGRAMS.firefox === undefined, 'Firefox is not installed');
  const user = await CliUser.create(server.url);
  try {
    const missing = await user.run(['verify', server.url, '--browser', 'no-such-browser']);
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      'furoshiki: Can’t use the browser “no-such-browser” (ENOENT).\n',
    ]);
    const down = await user.run([
      'verify',
      `http://127.0.0.1:${await freePort()}`,
      '--browser',
      PROGRAMS.firefox ?? '',
    ]);
    expect([down.exitCode, down.stderr]).toEqual([1, expect.stringContaining('Nothing was checked.')]);
  } finally {
    await user.discard();
  }
});

test('Ctrl-C ends the browser too', async ({ server }) => {
  test.skip(PROGRAMS.chromium === undefined, 'Chromium is not installed');
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  const user = await CliUser.create(server.url);
  const { promise: isClosed, resolve: close } = Promise.withResolvers<void>();
  try {
    const isWaiting = new Promise<void>((resolve) => {
      proxy.changes.set('/theme.js', (_passing, response, request) => {
        response.writeHead(200).write('x');
        request.socket.once('close', close);
        resolve();
      });
    });
    const running = user.start(['verify', proxy.url, '--browser', PROGRAMS.chromium ?? '']);
    await isWaiting;
    running.process.kill('SIGINT');
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr]).toEqual([130, 'furoshiki: Stopped before everything was checked.\n']);
    await isClosed;
  } finally {
    await proxy.discard();
    await user.discard();
  }
});
