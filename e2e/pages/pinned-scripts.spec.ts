// The page knows the hash of every module that it loads later (import map), and the browser runs no other version of it: also without any extension.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test as bare, expect } from '@playwright/test';
import { ROOT } from '../../scripts/paths.mjs';
import { BROWSERS, startFirefox } from '../support/other-browsers.ts';
import { ServerProcess } from '../support/server-process.ts';
import { addToBody, TamperingProxy } from '../support/tampering-proxy.ts';

const DIST = join(ROOT, 'apps', 'web', 'dist');
const assets = readdirSync(join(DIST, 'assets'));
const chunk = assets.find((name) => /^contact-screen-.*\.js$/u.test(name)) ?? '';
const PATH = `/assets/${chunk}`;

async function startDishonest() {
  const server = await ServerProcess.start();
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  proxy.changes.set(PATH, addToBody(';globalThis.stolen = true;'));
  const end = async () => {
    await proxy.discard();
    await server.discard();
  };
  return { url: proxy.url, end };
}

/** In the page: whether the module was refused, and whether its code ran. */
const tryModules = async (path: string) => {
  const isRefused = async (url: string) => {
    try {
      await import(url);
      return false;
    } catch {
      return true;
    }
  };
  return [await isRefused(path), 'stolen' in globalThis];
};

// Playwright's own test, because Chromium logs each refusal as an error, for which our fixture fails a test.
bare('Chromium runs no module whose hash is not the one in the page', async ({ page }) => {
  const { url, end } = await startDishonest();
  await page.goto(`${url}/en`);
  expect(await page.evaluate(tryModules, PATH)).toEqual([true, false]);
  await end();
});

bare('Firefox runs no module whose hash is not the one in the page', async () => {
  bare.skip(BROWSERS.Firefox.program === undefined, 'Firefox is not installed');
  const { url, end } = await startDishonest();
  const firefox = await startFirefox(BROWSERS.Firefox.program ?? '');
  await firefox.open(`${url}/en`);
  expect(await firefox.run(tryModules, PATH)).toEqual([true, false]);
  await firefox.end();
  await end();
});

/** What the tags of the page name, and how a page shows that it was used. */
const TAGGED = [/^assets\/index-.*\.js$/u, /^assets\/app-.*\.css$/u, /^theme\.js$/u];
const CHANGE = { js: ';globalThis.stolen = true;', css: 'html { --stolen: 1 }' };
const wasUsed = () => [
  'stolen' in globalThis,
  getComputedStyle(document.documentElement).getPropertyValue('--stolen') !== '',
];

async function startWithChangedTags() {
  const server = await ServerProcess.start();
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  for (const file of [...assets.map((name) => `assets/${name}`), 'theme.js'].filter((name) =>
    TAGGED.some((pattern) => pattern.test(name)),
  ))
    proxy.changes.set(`/${file}`, addToBody(CHANGE[file.endsWith('.js') ? 'js' : 'css']));
  const end = async () => {
    await proxy.discard();
    await server.discard();
  };
  return { url: proxy.url, proxy, end };
}

bare('Chromium uses no script and no style whose hash is not the one in its tag', async ({ page }) => {
  const { url, proxy, end } = await startWithChangedTags();
  await page.goto(`${url}/en`);
  expect(await page.evaluate(wasUsed)).toEqual([false, false]);
  // As the test of this test: a page without hashes uses them. That is why pages must be checked too.
  proxy.changes.set('/en/faq', (passing) => {
    passing.body = Buffer.from(passing.body.toString().replaceAll(/ integrity="[^"]*"/gu, ''));
  });
  await page.goto(`${url}/en/faq`);
  expect(await page.evaluate(wasUsed)).toEqual([true, true]);
  await end();
});

bare('Firefox uses no script and no style whose hash is not the one in its tag', async () => {
  bare.skip(BROWSERS.Firefox.program === undefined, 'Firefox is not installed');
  const { url, end } = await startWithChangedTags();
  const firefox = await startFirefox(BROWSERS.Firefox.program ?? '');
  await firefox.open(`${url}/en`);
  expect(await firefox.run(wasUsed)).toEqual([false, false]);
  await firefox.end();
  await end();
});

// Browsers have no such check for them. docs/VERIFYING.md says so, and this fails when it is no longer true.
bare('Chromium uses changed workers, service workers and later styles', async ({ page }) => {
  const server = await ServerProcess.start();
  const proxy = await TamperingProxy.start(server.port);
  const worker = `/assets/${assets.find((name) => /^upload\.worker-.*\.js$/u.test(name)) ?? ''}`;
  const style = `/assets/${assets.find((name) => /^contact-screen-.*\.css$/u.test(name)) ?? ''}`;
  proxy.changes.set(worker, addToBody(';fetch("/stolen-by-worker");'));
  proxy.changes.set('/save.worker.js', addToBody(';fetch("/stolen-by-service-worker");'));
  proxy.changes.set(style, addToBody(CHANGE.css));
  const requested: string[] = [];
  proxy.onRequest = ({ url = '' }) => requested.push(url);
  await page.goto(`${proxy.url}/en/contact`);
  await expect.poll(() => page.evaluate(wasUsed)).toEqual([false, true]);
  await page.evaluate((url) => void new Worker(url, { type: 'module' }), proxy.url + worker);
  await expect
    .poll(() => requested.filter((url) => url.startsWith('/stolen')).toSorted())
    .toEqual(['/stolen-by-service-worker', '/stolen-by-worker']);
  await proxy.discard();
  await server.discard();
});

bare('the page knows the hash of every module, and of nothing else', async ({ page }) => {
  const server = await ServerProcess.start();
  for (const path of ['/en', '/ja/faq', '/download/x']) {
    await page.goto(server.url + path);
    const map = await page.locator('script[type="importmap"]').textContent();
    const { integrity } = JSON.parse(map ?? '') as { integrity: Record<string, string> };
    const modules = assets.filter((name) => name.endsWith('.js') && !name.includes('.worker-'));
    expect(Object.keys(integrity).toSorted()).toEqual(modules.map((name) => `./assets/${name}`).toSorted());
  }
  await server.discard();
});
