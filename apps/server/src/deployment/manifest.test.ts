// The manifest against the server that it describes, with the rules by which browsers compare them.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AS_BUILT, pagePolicy, type Release } from '@furoshiki/site';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { brokenRulesIn, brokenRulesOf, brokenRulesOfHeaders, hashFor, policyFor } from '../../testing/webcat-rules.ts';
import {
  differencesOf,
  type Manifest,
  manifestOf,
  otherOriginsOf,
  pageAddressOf,
  readRelease,
  servesPublished,
  sourceOf,
} from './manifest.ts';
import { type Config, readConfig } from '../config/config.ts';

const ORIGIN = 'http://127.0.0.1';
const ANALYTICS = {
  ANALYTICS_SERVICE: 'plausible',
  ANALYTICS_URL: 'https://count.example.org',
  ANALYTICS_ID: 'files.example.org',
} as const;

async function manifestFor({ folder }: TestServer, config: Partial<Config>): Promise<Manifest> {
  const webRoot = join(folder, 'web');
  const release = await readRelease(webRoot);
  if (!release) throw new Error('there is no build.json');
  const otherOrigins = otherOriginsOf({ ...readConfig({}), ...config }, undefined);
  return manifestOf({
    webRoot,
    release,
    address: pageAddressOf({ ...readConfig({}), ...config }),
    otherOrigins,
    source: undefined,
  });
}

describe.each<[string, Partial<Config>]>([
  ['at the root', {}],
  ['below a base path', { BASE_PATH: '/files' }],
  ['with analytics', ANALYTICS],
  ['with full link previews', { FULL_PREVIEWS: true }],
])('the manifest of a server %s', (_, settings) => {
  const config = { PUBLIC_ORIGIN: ORIGIN, ...settings };
  let server: TestServer;
  let manifest: Manifest;
  beforeAll(async () => {
    server = await createTestServer({ config, hasPages: true });
    manifest = await manifestFor(server, config);
  });
  afterAll(() => server.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    server.fetch(ORIGIN + path, { headers: { 'accept-encoding': 'identity', ...headers } });

  async function expectServed(path: string, headers: Record<string, string> = {}) {
    const response = await get(path, headers);
    const hash = createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('base64url');
    expect([path, brokenRulesOfHeaders(response.headers, policyFor(manifest, path))]).toEqual([path, []]);
    expect([path, hash]).toEqual([path, hashFor(manifest, path)]);
  }

  it('keeps all rules', () => {
    expect(brokenRulesIn(manifest)).toEqual([]);
  });

  it('has the hash and the policy of everything that it lists', async () => {
    const paths = Object.keys(manifest.files);
    expect(paths).toContain(`${config.BASE_PATH ?? ''}/de/faq`);
    for (const path of paths) await expectServed(path);
  });

  it.each([
    '/',
    '/faq',
    '/en/download/AAAAAAAAAAAAAAAAAAAAAA',
    '/download',
    '/zh-cn',
    '/EN/faq',
    '/nowhere',
    '/a/b/c',
    '/pages/en/faq.html',
    '/index.html',
  ])('has the fallback page for %s, in every language', async (path) => {
    for (const language of ['de', 'zh-HK'])
      await expectServed((config.BASE_PATH ?? '') + path, { accept: 'text/html', 'accept-language': language });
  });

  it.each([
    ['/en/', 308],
    ['/api/config', 200],
    ['/api/nothing', 404],
    ['/api/docs', 200],
    ['/store/x', 403],
    ['/%zz', 400],
    ['/assets/old.js', 404],
    ['/.well-known/security.txt', 200],
    ['/robots.txt', 200],
    ['/healthz', 200],
  ])('has the policy of %s', async (path, status) => {
    for (const accept of ['text/html', 'application/json']) {
      const response = await get((config.BASE_PATH ?? '') + path, { accept });
      const policy = policyFor(manifest, (config.BASE_PATH ?? '') + path);
      expect([response.status, brokenRulesOfHeaders(response.headers, policy)]).toEqual([status, []]);
    }
  });

  it('differs from another one in what was changed', () => {
    const files = { ...manifest.files, '/evil.js': 'x' };
    const changed = { ...manifest, default_csp: 'x', files, wasm: ['x'] };
    expect(differencesOf(manifest, manifest)).toEqual([]);
    expect(differencesOf(changed, manifest)).toEqual(['default_csp', '/evil.js', 'wasm']);
    expect(differencesOf({}, manifest).length).toBeGreaterThan(Object.keys(manifest.files).length);
  });
});

it.each([
  ["default-src 'none'", []],
  ["default-src 'none', default-src *", ['a policy has no comma']],
  ["default-src 'none';script-src 'self' https://evil.example", ['script-src may not have https://evil.example']],
  ["default-src 'none';script-src 'unsafe-eval'", ["script-src may not have 'unsafe-eval'"]],
  ["default-src 'none';worker-src blob:", ['worker-src may not have blob:']],
  [
    "default-src 'self';script-src 'self';style-src 'self';worker-src 'self';object-src 'none'",
    ["without default-src 'none' there must be frame-src"],
  ],
])('the rules for policies find what is wrong in %s', (policy, broken) => {
  expect(brokenRulesOf(policy)).toEqual(broken);
});

it.each([
  ['https://git.example.org/tree/{commit}', 'abc', 'https://git.example.org/tree/abc'],
  ['https://git.example.org/tree/{commit}', null, undefined],
  [undefined, 'abc', undefined],
])('the sources at %s of the commit %s are at %s', (SOURCE_URL, commit, source) => {
  expect(sourceOf({ ...readConfig({}), SOURCE_URL }, { version: '1', commit, files: {} })).toBe(source);
});

it('names the sources that were signed, or else the site or the program', async () => {
  const server = await createTestServer({ config: { PUBLIC_ORIGIN: ORIGIN }, hasPages: true });
  const webRoot = join(server.folder, 'web');
  const release = await readRelease(webRoot);
  if (!release) throw new Error('there is no build.json');
  const address = { siteUrl: `${ORIGIN}/files`, basePath: '/files' };
  const deployment = { webRoot, release, address, otherOrigins: [] };
  expect((await manifestOf({ ...deployment, source: 'https://git.example.org/abc' })).app).toBe(
    'https://git.example.org/abc',
  );
  expect((await manifestOf({ ...deployment, source: undefined })).app).toBe(`${ORIGIN}/files`);
  expect((await manifestOf({ ...deployment, address: AS_BUILT, source: undefined })).app).toBe('furoshiki');
  await server.close();
});

it.each<[string, Partial<Config>]>([
  ['without any setting', {}],
  ['with an address', { PUBLIC_ORIGIN: 'https://files.example.org' }],
  ['with another address', { PUBLIC_ORIGIN: 'https://other.example' }],
])('the manifest of a server %s is the one of the release', async (_, settings) => {
  const server = await createTestServer({ config: settings, hasPages: true });
  const manifest = await manifestFor(server, settings);
  const { files } = JSON.parse(await readFile(join(server.folder, 'web', 'build.json'), 'utf8')) as Release;
  const built = (file: string) => Buffer.from(files[file] ?? '', 'hex').toString('base64url');
  expect(servesPublished({ ...readConfig({}), ...settings }, undefined)).toBe(true);
  // The bytes of the build, also of pages: nothing is filled in.
  expect(manifest.files['/en/faq']).toBe(built('pages/en/faq.html'));
  expect(manifest.files['/index.html']).toBe(built('pages/fallback.html'));
  expect([manifest.app, manifest.default_csp]).toEqual(['furoshiki', pagePolicy([])]);
  await server.close();
});

it.each<[string, Partial<Config>, string?]>([
  ['a base path', { BASE_PATH: '/files' }],
  ['analytics', ANALYTICS],
  ['full link previews', { PUBLIC_ORIGIN: ORIGIN, FULL_PREVIEWS: true }],
  ['a store of its own', {}, 'https://s3.example.org'],
])('a server with %s does not serve the published client', (_, settings, storageOrigin) => {
  expect(servesPublished({ ...readConfig({}), ...settings }, storageOrigin)).toBe(false);
});
