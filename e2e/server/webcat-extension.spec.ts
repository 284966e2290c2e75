// The real WEBCAT extension in a real Firefox: what it lets through, and what it blocks. docs/TESTING.md says what it needs. It is
// registered only if WEBCAT_EXTENSION names the folder of the extension, because its sources are not ours to ship.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as bare } from '@playwright/test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { ServerProcess } from '../support/server-process.ts';
import { expect } from '../support/test.ts';
import { sha256 } from '../support/user-actions.ts';
import {
  type Change,
  type DishonestProxy,
  listEnrolled,
  ORIGIN,
  signManifest,
  startDishonestProxy,
} from '../support/webcat.ts';

const EXTENSION = process.env['WEBCAT_EXTENSION'];
const CSP = 'content-security-policy';
const CONTACT_MODULE = /^\/assets\/contact-screen-.*\.js$/u;
const BLOCKED = 'WEBCAT could not verify';
const NAME = 'gift.bin';
/** Three parts. */
const BYTES = 60_000_000;

const append =
  (text: string): Change =>
  (passing) => {
    passing.body = Buffer.concat([passing.body, Buffer.from(text)]);
  };
const setHeader =
  (name: string, value: string): Change =>
  ({ headers }) => {
    headers[name] = value;
  };

/** The row of the table in docs/VERIFYING.md, what the server changes, and where the visitor goes. */
interface Attack {
  row: string;
  path: RegExp;
  change: Change;
  visited: string;
  /** A page that is visited before the server changes anything. Without one, this is the first visit. */
  before?: string;
  when?: (proxy: DishonestProxy, headers: IncomingHttpHeaders) => boolean;
}

const addCode = append(';fetch("/stolen");');
const addScript = append('<script src="/stolen"></script>');
const FAQ = { path: /^\/en\/faq$/u, change: addScript, visited: '/en/faq' };
const requestsOf = ({ requested }: DishonestProxy, path: string) => requested.filter((one) => one === path).length;

const BLOCKED_ATTACKS: Attack[] = [
  { row: 'a page, for everyone', ...FAQ },
  {
    row: 'a page, for those who accept zstd',
    ...FAQ,
    when: (_, headers) => /zstd/u.test(`${headers['accept-encoding']}`),
  },
  { row: 'a page, only for Firefox', ...FAQ, when: (_, headers) => /Firefox/u.test(`${headers['user-agent']}`) },
  { row: 'a page, with a cookie', ...FAQ, before: '/en/faq', when: (_, { cookie }) => cookie !== undefined },
  { row: 'a page, without a cookie', ...FAQ, when: (_, { cookie }) => cookie === undefined },
  {
    row: 'a page, only if it is requested again',
    ...FAQ,
    before: '/en/faq',
    when: (proxy) => requestsOf(proxy, '/en/faq') > 1,
  },
  {
    row: 'a page, only after 2,000 requests',
    ...FAQ,
    when: ({ requested }) => requested.push(...Array.from({ length: 2000 }, () => '/by-others')) > 2000,
  },
  { row: 'the page of another link', path: /^\/download\//u, change: addScript, visited: '/download/abc' },
  { row: 'the main script, a style of the page', path: /^\/assets\/index-.*\.js$/u, change: addCode, visited: '/en' },
  {
    row: 'the main script, a style of the page',
    path: /^\/assets\/app-.*\.css$/u,
    change: append(' '),
    visited: '/en',
  },
  { row: 'a module that loads later', path: CONTACT_MODULE, change: addCode, visited: '/en/contact' },
  {
    row: 'a module, only after the page that loads it',
    path: CONTACT_MODULE,
    change: addCode,
    visited: '/en/contact',
    when: ({ requested }) => requested.includes('/en/contact'),
  },
  {
    row: 'a style that loads later',
    path: /^\/assets\/contact-screen-.*\.css$/u,
    change: append(' '),
    visited: '/en/contact',
  },
  { row: 'a service worker', path: /^\/save\.worker\.js$/u, change: addCode, visited: '/en' },
  { row: 'the policy of a page', path: /^\/en$/u, change: setHeader(CSP, "default-src 'self'"), visited: '/en' },
  { row: 'the policy of a script or of the API', path: /^\/theme\.js$/u, change: setHeader(CSP, 'x'), visited: '/en' },
  {
    row: 'the policy of a script or of the API',
    path: /^\/api\/config$/u,
    change: setHeader(CSP, 'x'),
    visited: '/en',
  },
  { row: '`Link`', path: /^\/en$/u, change: setHeader('link', '</theme.js>; rel=preload; as=script'), visited: '/en' },
];

/** It looks at no other header, and at no file that the manifest does not list. */
const PASSING_CHANGES: Omit<Attack, 'visited'>[] = [
  { row: 'Speculation-Rules', path: /^\/en$/u, change: setHeader('speculation-rules', '"/rules.json"') },
  { row: 'X-Content-Type-Options', path: /^\/en$/u, change: setHeader('x-content-type-options', 'x') },
];

/** Firefox has no dialog for it. Each removes the way before it. */
const WAYS: [name: string, prepare: () => void][] = [
  ['through the private file system', () => undefined],
  [
    'through a service worker',
    () => {
      navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
      // The other ways need it.
      Reflect.deleteProperty(URL, 'createObjectURL');
    },
  ],
  [
    'from memory',
    () => {
      navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
      Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
    },
  ],
];

async function startFirefox(downloads: string): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: findProgram('firefox-esr') ?? '',
    headless: true,
    acceptInsecureCerts: true,
    extraPrefsFirefox: {
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
      'browser.download.useDownloadDir': true,
      'browser.download.always_ask_before_handling_new_types': false,
      'intl.accept_languages': 'en-US',
    },
  });
}

const textOf = (page: Page) => page.evaluate(() => document.body?.innerText ?? '').catch(() => '');
const untilShown = (page: Page, text: string) => expect.poll(() => textOf(page), { intervals: [250] }).toContain(text);
const visit = (page: Page, path: string) => page.goto(ORIGIN + path, { waitUntil: 'domcontentloaded' });
const untilPressed = (page: Page, name: string) =>
  expect
    .poll(() =>
      page.evaluate((wanted) => {
        const buttons = [...document.querySelectorAll('button')];
        const button = buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent) === wanted);
        if (!button || button.disabled) return false;
        button.click();
        return true;
      }, name),
    )
    .toBe(true);

async function startUpload(page: Page, file: string): Promise<void> {
  await visit(page, '/en');
  await untilShown(page, 'Start upload');
  const input = await page.waitForSelector('input[type=file]');
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
  await untilPressed(page, 'Start upload');
}

if (EXTENSION !== undefined)
  bare.describe('with the WEBCAT extension', { tag: ['@only-long', '@alone'] }, () => {
    bare.describe.configure({ mode: 'serial' });
    let folder: string;
    let server: ServerProcess;
    let proxy: DishonestProxy;
    let enrolled: Awaited<ReturnType<typeof listEnrolled>>;
    let firefox: Browser;
    let page: Page;

    bare.beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'furoshiki-webcat-'));
      const signed = await signManifest(folder);
      server = await ServerProcess.start({ PUBLIC_ORIGIN: ORIGIN, WEBCAT_DIR: signed });
      proxy = await startDishonestProxy(Number(new URL(server.url).port));
      enrolled = await listEnrolled(signed);
    });
    bare.afterAll(async () => {
      enrolled.server.close();
      proxy.server.closeAllConnections();
      proxy.server.close();
      await server.discard();
      await rm(folder, { recursive: true });
    });

    bare.beforeEach(async () => {
      proxy.change = undefined;
      proxy.requested.length = 0;
      firefox = await startFirefox(join(folder, 'downloads'));
      const before = enrolled.requests();
      await firefox.installExtension(EXTENSION);
      await expect.poll(enrolled.requests).toBeGreaterThan(before);
      page = await firefox.newPage();
      // The extension has read the list when it asks the site for what was signed.
      const isChecked = async () => {
        await visit(page, '/theme.js');
        return proxy.requested.includes('/.well-known/webcat/bundle.json');
      };
      await expect.poll(isChecked).toBe(true);
    });
    bare.afterEach(() => firefox.close());

    bare('pages load at the first and at every other visit', async () => {
      for (let number = 1; number <= 3; number += 1) {
        await visit(page, '/en');
        await untilShown(page, 'Start upload');
        await visit(page, '/en/faq');
        await untilShown(page, 'Do I need an account?');
        await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      }
      expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    });

    for (const [way, prepare] of WAYS)
      bare(`60 MB are sent, and saved unchanged: ${way}`, async () => {
        const bytes = randomBytes(BYTES);
        await writeFile(join(folder, NAME), bytes);
        await startUpload(page, join(folder, NAME));
        await untilShown(page, 'Wrapped and ready');
        await untilPressed(page, 'Show key');
        const [link = '', key = ''] = await page.evaluate(() =>
          [...document.querySelectorAll('output')].map((output) => output.innerText),
        );
        await page.evaluateOnNewDocument(prepare);
        await page.goto('about:blank');
        await page.goto(`${link}#key=${encodeURIComponent(key)}`);
        await untilShown(page, 'The key fits.');
        await untilPressed(page, `Download ${NAME}`);
        const downloads = join(folder, 'downloads');
        const sizes = async () => {
          const names = await readdir(downloads).catch(() => []);
          return Promise.all(names.map(async (name) => [name, (await stat(join(downloads, name))).size]));
        };
        await expect.poll(sizes).toEqual([[expect.stringMatching(/^gift.*\.bin$/u), BYTES]]);
        const [saved = ''] = await readdir(downloads);
        expect(sha256(await readFile(join(downloads, saved)))).toBe(sha256(bytes));
        await rm(downloads, { recursive: true });
      });

    for (const { row, path, change, before, visited, when } of BLOCKED_ATTACKS)
      bare(`blocks what the server changes: ${row}, ${path.source}`, async () => {
        if (before !== undefined) {
          await visit(page, before);
          await untilShown(page, 'Do I need an account?');
        }
        proxy.change = { path, change, when: (headers) => when?.(proxy, headers) ?? true };
        // The navigation itself may never end.
        void visit(page, visited).catch(() => undefined);
        await untilShown(page, BLOCKED);
        expect(proxy.requested).not.toContain('/stolen');
      });

    for (const { row, path, change } of PASSING_CHANGES)
      bare(`does not look at the header ${row}`, async () => {
        proxy.change = { path, change };
        await visit(page, '/en');
        await untilShown(page, 'Start upload');
      });

    bare('a changed worker does not run', async () => {
      proxy.change = { path: /\.worker-.*\.js$/u, change: append(';fetch("/stolen");') };
      await writeFile(join(folder, NAME), randomBytes(1000));
      await startUpload(page, join(folder, NAME));
      await untilShown(page, BLOCKED);
      expect(proxy.requested).not.toContain('/stolen');
    });
  });
