// What a first visit loads before files can be chosen: its size, and what happens to a click before the rest is loaded.
import { gzipSync } from 'node:zlib';
import type { Page, Response } from '@playwright/test';
import { expect, test } from '../support/test.ts';
import { chooseFiles, readShare } from '../support/user-actions.ts';

const BUDGET_BYTES = 120_000;
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

/** Holds back a script; `transfers` is the code that home loads after its first paint. Returns a function that lets it through. */
async function hold(page: Page, script: 'transfers' | 'app'): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(`**/assets/${script}-*.js`, async (route) => {
    await released.promise;
    await route.continue();
  });
  return released.resolve;
}

test.describe('without a service worker, whose requests a test cannot intercept', () => {
  test.use({ serviceWorkers: 'block' });

  test('files can be chosen after at most 120 kB of compressed scripts and styles', async ({ page, server }) => {
    const loaded: Response[] = [];
    page.on('response', (response) => {
      if (/\.(js|css)$/u.test(new URL(response.url()).pathname)) loaded.push(response);
    });
    const urls = () => loaded.map((response) => response.url());
    // The pages for offline reading are loaded after everything else, and do not count.
    await page.route('**/offline/*.json', (route) => route.fulfill({ json: [] }));
    const release = await hold(page, 'transfers');
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [NOTE]);
    await expect(page.getByText('1 file', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Start upload' })).toBeEnabled();
    const bodies = await Promise.all(loaded.map((response) => response.body()));
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)).toBeLessThanOrEqual(BUDGET_BYTES);
    release();
    // The last of what is loaded after the first paint.
    await expect.poll(() => urls().some((url) => /running-upload-.*\.js$/u.test(url))).toBe(true);
    await page.waitForLoadState('networkidle');
    // Other screens are loaded on demand.
    expect(urls().filter((url) => /download-screen|share-box|lean-qr|contact|empty-page/u.test(url))).toEqual([]);
  });

  test('an upload that is started before its code is loaded waits for it', async ({ page, server }) => {
    const release = await hold(page, 'transfers');
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [NOTE]);
    await page.getByRole('button', { name: 'Start upload' }).dblclick();
    await expect(page.getByRole('progressbar', { name: 'note.txt' })).toBeVisible();
    release();
    const { link } = await readShare(page);
    expect(link).toContain('/en/download/');
  });

  test('an upload whose code cannot be loaded fails, and works when it is started again', async ({ page, server }) => {
    await page.route('**/assets/transfers-*.js', (route) => route.abort());
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [NOTE]);
    const start = page.getByRole('button', { name: 'Start upload' });
    await start.click();
    await expect(page.getByRole('alert')).toBeVisible();
    await page.unroute('**/assets/transfers-*.js');
    await start.click();
    await readShare(page);
  });

  test('texts that do not arrive are requested again', async ({ page, server }) => {
    let lost = 0;
    // The first request may be the preload of the page, so two are lost.
    await page.route('**/assets/en-*.json', (route) => {
      lost += 1;
      return lost <= 2 ? route.abort() : route.continue();
    });
    await page.goto(`${server.url}/en`);
    await expect(page.getByRole('button', { name: 'Start upload' })).toBeVisible();
    expect(lost).toBeGreaterThan(2);
  });

  test('settings that are opened before the scripts arrive show their content as soon as they have', async ({
    page,
    server,
  }) => {
    const release = await hold(page, 'app');
    await page.goto(`${server.url}/en/faq`, { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Settings' }).click();
    release();
    await expect(page.getByRole('radio', { name: 'Dark' })).toBeVisible();
  });

  test('a page whose scripts do not arrive loads once more by itself, and then says so', async ({ page, server }) => {
    let isBroken = true;
    let visits = 0;
    await page.route('**/assets/app-*.js', (route) => (isBroken ? route.abort() : route.continue()));
    page.on('request', (request) => void (visits += Number(request.isNavigationRequest())));
    for (const [path, text] of [
      ['de', 'Diese Seite konnte nicht geladen werden'],
      ['fr/download/AAAAAAAAAAAAAAAAAAAAAA', 'Cette page n’a pas pu être chargée'],
    ] as const) {
      visits = 0;
      await page.evaluate(() => sessionStorage.clear()).catch(() => undefined);
      await page.goto(`${server.url}/${path}`);
      await expect(page.getByRole('alert')).toContainText(text);
      await expect(page.getByRole('alert')).toHaveCount(1);
      expect(visits).toBe(2);
    }
    isBroken = false;
    await page.getByRole('alert').getByRole('link').click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page).toHaveURL(/\/fr\/download\//u);
  });
});
