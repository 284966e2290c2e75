// furoshiki verify against real servers, and behind a proxy that changes what they send. Most cases call the function of
// the command, many changes at once, because each run requests every file.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FALLBACK_FILE, LEGAL_NOTICE_FOLDER, parseRelease, servedFiles } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { createGetResponse, type GetResponse } from '../../tools/verify/src/get-response.ts';
import { ENCODINGS } from '../../tools/verify/src/checks.ts';
import type { Verification } from '../../tools/verify/src/comparison.ts';
import { LANES, verifySite } from '../../tools/verify/src/verify-site.ts';
import { makeCertificate } from '../../apps/server/testing/certificate.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { CliUser } from '../support/cli.ts';
import { startDeployedProxy } from '../support/deployed-proxies.ts';
import { ServerProcess } from '../support/server-process.ts';
import {
  addHeader,
  addToBody,
  changeByte,
  closeConnection,
  cutBody,
  replaceHeader,
  sendForever,
  setStatus,
  type Tamper,
  TamperingProxy,
} from '../support/tampering-proxy.ts';
import { expect, test } from '../support/test.ts';

const release = parseRelease(readFileSync(join(ROOT, 'apps', 'web', 'dist', 'build.json'), 'utf8'));
const ANALYTICS = {
  ANALYTICS_SERVICE: 'plausible',
  ANALYTICS_URL: 'https://count.example.org',
  ANALYTICS_ID: 'files.example.org',
};

async function verify(
  siteUrl: string,
  connect: readonly string[] = [],
  get: GetResponse = createGetResponse({ connections: LANES }),
): Promise<Verification> {
  const randomId = () => randomBytes(16).toString('base64url');
  const signal = new AbortController().signal;
  // The unit tests compare all encodings, and so do the runs of the command below.
  const encodings = ENCODINGS.slice(0, 1);
  const options = {
    siteUrl,
    release,
    languages,
    connect,
    get,
    randomId,
    signal,
    encodings,
    onProgress: () => undefined,
  };
  const result = await verifySite(options);
  if ('unreachable' in result) throw new Error(result.unreachable);
  return result;
}

const fileLike = (pattern: RegExp) => {
  const found = Object.keys(release.files).find((file) => pattern.test(file));
  if (found === undefined) throw new Error(`the build has no file like ${pattern.source}`);
  return `/${found}`;
};

/** One change of each kind, by path. Every one must be named, and nothing else. */
const CHANGES: readonly [path: string, change: Tamper, difference: object][] = [
  [fileLike(/^assets\/index-.*\.js$/u), changeByte, { kind: 'changed', notes: [] }],
  [fileLike(/^assets\/upload\.worker-.*\.js$/u), changeByte, { kind: 'changed' }],
  ['/save.worker.js', changeByte, { kind: 'changed' }],
  [fileLike(/^assets\/app-.*\.css$/u), changeByte, { kind: 'changed' }],
  [fileLike(/^assets\/de-.*\.json$/u), changeByte, { kind: 'changed' }],
  ['/icon.svg', changeByte, { kind: 'changed' }],
  ...languages.map((code): [string, Tamper, object] => [`/${code}/faq`, changeByte, { kind: 'changed' }]),
  ['/api/docs', changeByte, { kind: 'changed' }],
  ['/download', changeByte, { kind: 'changed' }],
  ['/en', addToBody('<script src="/evil.js"></script>'), { notes: [{ note: 'loads', url: '/evil.js' }] }],
  ['/ja', addToBody('<script>alert(1)</script>'), { notes: [{ note: 'inlineScript' }] }],
  ['/ko', addHeader('Link', '</evil.js>; rel=preload'), { kind: 'header', name: 'link' }],
  ['/de', addHeader('Refresh', '0; url=https://evil.example'), { kind: 'header', name: 'refresh' }],
  ['/es', addHeader('Content-Security-Policy', 'default-src *'), { kind: 'policy' }],
  ['/api/config', addHeader('Clear-Site-Data', '"*"'), { kind: 'header', name: 'clear-site-data' }],
  ['/zh-CN', addHeader('Service-Worker-Allowed', '/'), { kind: 'header', name: 'service-worker-allowed' }],
  ['/zh-TW', replaceHeader('x-frame-options', () => 'SAMEORIGIN'), { kind: 'header', name: 'x-frame-options' }],
  [
    '/fr',
    replaceHeader('content-security-policy', (policy) => policy.replace('script-src', 'script-src *')),
    { kind: 'policy', detail: expect.stringMatching(/^\+script-src \* 'self' '[^']+'; -script-src 'self' '[^']+'$/u) },
  ],
  ['/pt', replaceHeader('content-type', () => 'text/html; charset=utf-7'), { kind: 'type' }],
  [fileLike(/^assets\/app-.*\.js$/u), replaceHeader('content-type', () => 'text/html'), { kind: 'type' }],
  [
    '/en/terms',
    setStatus(302, 'Location', 'https://evil.example/'),
    { kind: 'redirect', target: 'https://evil.example/' },
  ],
  ['/bystander.js', setStatus(404), { kind: 'missing' }],
  ['/theme.js', cutBody, { kind: 'changed' }],
  ['/preload.js', sendForever, { kind: 'tooLarge' }],
];
/** It says nothing about the file. */
const CUT = '/icons/192.png';

/** Verifies the site unchanged, with each change, and with a changed policy. */
async function expectNamed(siteUrl: string, proxy: TamperingProxy, check: () => Promise<Verification>): Promise<void> {
  const { pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/$/u, '');
  const unchanged = await check();
  expect([unchanged.differences, unchanged.unchecked]).toEqual([[], []]);

  for (const [path, change] of CHANGES) proxy.changes.set(base + path, change);
  proxy.changes.set(base + CUT, closeConnection);
  const { differences, unchecked } = await check();
  const expected = CHANGES.map(([path, , difference]) => ({ path: base + path, ...difference }));
  const paths = expected.map(({ path }) => path).toSorted();
  expect(differences.map(({ path }) => path)).toEqual(paths);
  for (const one of expected) expect(differences.find(({ path }) => path === one.path)).toMatchObject(one);
  expect(unchecked).toMatchObject([{ path: base + CUT, reason: 'ECONNRESET' }]);

  proxy.changes.clear();
  const addSpace = replaceHeader('content-security-policy', (policy) => policy.replace(';', '; '));
  proxy.changes.set('*', addSpace);
  const { differences: changed, addressCount } = await check();
  // Also of the API, of an unknown call and of the store.
  expect(changed.filter(({ kind }) => kind === 'policy')).toHaveLength(addressCount + 3);
  expect(changed).toHaveLength(addressCount + 3);
  proxy.changes.clear();
}

test('every file of the release has an address', () => {
  const addressed = new Set([FALLBACK_FILE, ...servedFiles(release, languages).map(({ file }) => file)]);
  const files = Object.keys(release.files).filter((file) => !/\.(?:br|gz)$/u.test(file));
  // The texts of /api/legal-notice: each server fills in who runs it, so they are no pages that a client can compare.
  const templates = languages.map((language) => `pages/${LEGAL_NOTICE_FOLDER}/${language}.template`);
  expect(files.filter((file) => !addressed.has(file)).toSorted()).toEqual(templates.toSorted());
});

for (const [name, environment, connect] of [
  ['at the root', {}, []],
  ['below a path, with analytics', { BASE_PATH: '/our/files', ...ANALYTICS }, [ANALYTICS.ANALYTICS_URL]],
] as const)
  test(`names everything that a server ${name} changes, and nothing else`, async () => {
    const server = await ServerProcess.start(environment);
    const proxy = await TamperingProxy.start(server.port);
    try {
      const siteUrl = proxy.url + new URL(server.url).pathname.replace(/\/$/u, '');
      await expectNamed(siteUrl, proxy, () => verify(siteUrl, connect));
      const { differences, addressCount } = await verify(siteUrl);
      const origins = differences.map((difference) => difference.kind === 'origin' && difference.origin);
      expect(origins).toEqual(connect.flatMap((origin) => Array.from({ length: addressCount }, () => origin)));
    } finally {
      await proxy.discard();
      await server.discard();
    }
  });

test('names everything that servers with S3 change, and nothing else @cluster', async ({ cluster }) => {
  if (!cluster) throw new Error('there is no cluster');
  const { host, port } = new URL(cluster.url);
  const proxy = await TamperingProxy.start(Number(port));
  try {
    const connect = [new URL(cluster.storeUrl).origin];
    const direct = createGetResponse({ connections: LANES });
    // The proxy stands in for the public address of the cluster.
    const get: GetResponse = (url, headers, stop) =>
      direct(url.replace(cluster.url, proxy.url), { ...headers, host }, stop);
    await expectNamed(cluster.url, proxy, () => verify(cluster.url, connect, get));
    const { differences, addressCount } = await verify(cluster.url);
    expect(differences).toHaveLength(addressCount);
    expect(differences[0]).toMatchObject({ kind: 'origin', origin: connect[0] });
    const atProxy = await verify(proxy.url, connect);
    // Pages have no address of their server, so they are the same at another one.
    expect(atProxy.differences).toEqual([]);
  } finally {
    await proxy.discard();
  }
});

test('the command has an exit code for each outcome', async ({ server }) => {
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  const user = await CliUser.create(server.url);
  try {
    const same = await user.run(['verify', `${proxy.url}/de/`, '--source', ROOT]);
    expect(same.stderr).toContain('This runs code from that folder.');
    expect(same.stdout.toString()).toMatch(/^All \d+ files match Furoshiki [\d.]+\.\n/u);
    expect(same.exitCode).toBe(0);

    proxy.changes.set('/de/faq', addToBody('<script src="/evil.js"></script>'));
    const changed = await user.run(['verify', proxy.url], { environment: { LANG: 'de_DE.UTF-8' } });
    expect(changed.stdout.toString()).toMatch(
      /^1 von \d+ Dateien stimmt nicht mit Furoshiki [\d.]+ überein:\n {2}\/de\/faq: geändert\n {4}lädt \/evil\.js; das gehört nicht/u,
    );
    expect(changed.exitCode).toBe(5);

    const json = await user.run(['verify', proxy.url, '--json', '--quiet']);
    expect(JSON.parse(json.stdout.toString())).toMatchObject({
      url: proxy.url,
      version: release.version,
      differences: [{ path: '/de/faq', kind: 'changed', notes: [{ note: 'loads', url: '/evil.js' }] }],
    });
    expect([json.exitCode, json.stderr]).toEqual([5, '']);

    const down = await user.run(['verify', `http://127.0.0.1:${await freePort()}`]);
    expect(down.stderr).toMatch(/^furoshiki: Can’t reach .* \(ECONNREFUSED\)\. Nothing was checked\.\n$/u);
    expect([down.exitCode, down.stdout.toString()]).toEqual([1, '']);
  } finally {
    await proxy.discard();
    await user.discard();
  }
});

for (const name of ['nginx', 'caddy'] as const)
  test(`${name} as in deploy/ changes nothing, and its certificate is checked`, async () => {
    test.skip(findProgram(name) === undefined, `${name} is not installed`);
    const server = await ServerProcess.start({ TRUST_PROXY: '1' });
    const certificate = await makeCertificate();
    // The configuration is for several servers. One can be listed twice.
    const proxy = await startDeployedProxy(name, [server.port, server.port], certificate);
    const user = await CliUser.create(proxy.url);
    try {
      const { exitCode, stdout } = await user.run(['verify', proxy.url, '--cacert', certificate.certFile]);
      expect([exitCode, stdout.toString()]).toEqual([0, expect.stringMatching(/^All \d+ files/u)]);
      const untrusted = await user.run(['verify', proxy.url]);
      expect([untrusted.exitCode, untrusted.stderr]).toEqual([1, expect.stringContaining('SELF_SIGNED_CERT')]);
    } finally {
      await user.discard();
      await proxy.process.discard();
      await certificate.discard();
      await server.discard();
    }
  });

test('Ctrl-C ends the command while it waits for the server', async ({ server }) => {
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  const user = await CliUser.create(server.url);
  try {
    const isWaiting = new Promise<void>((resolve) => {
      proxy.changes.set('/theme.js', (_passing, response) => {
        response.writeHead(200).write('x');
        resolve();
      });
    });
    const running = user.start(['verify', proxy.url]);
    await isWaiting;
    running.process.kill('SIGINT');
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr]).toEqual([130, 'furoshiki: Stopped before everything was checked.\n']);
  } finally {
    await proxy.discard();
    await user.discard();
  }
});
