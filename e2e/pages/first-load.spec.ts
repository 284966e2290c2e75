// What a first visit loads before files can be chosen: its size, and what happens to a click before the rest is loaded.
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test.ts';
import { chooseFiles, readShare } from '../support/user-actions.ts';

const BUDGET_BYTES = 120_000;
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

/** Holds back the code that home loads after its first paint. Returns a function that lets it through. */
async function holdTransfers(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route('**/assets/transfers-*.js', async (route) => {
    await released.promise;
    await route.continue();
  });
  return released.resolve;
}

test.describe('without a service worker, whose requests a test cannot intercept', () => {
  test.use({ serviceWorkers: 'block' });

  test('files can be chosen after at most 120 kB of compressed scripts and styles', async ({ page, server }) => {
    const sizes = new Map<string, Promise<number>>();
    page.on('response', (response) => {
      const isCode = /\.(js|css)$/u.test(new URL(response.url()).pathname);
      if (isCode)
        sizes.set(
          response.url(),
          response.body().then((body) => gzipSync(body).length),
        );
    });
    // The pages for offline reading are loaded after everything else, and do not count.
    await page.route('**/offline/*.json', (route) => route.fulfill({ json: [] }));
    const release = await holdTransfers(page);
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [NOTE]);
    await expect(page.getByText('1 file', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Start upload' })).toBeEnabled();
    const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(sizes.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
    release();
    // The last of what is loaded after the first paint.
    await expect.poll(() => [...sizes.keys()].some((url) => /running-upload-.*\.js$/u.test(url))).toBe(true);
    await page.waitForLoadState('networkidle');
    await Promise.all(sizes.values());
    // Other screens are loaded on demand.
    expect(
      [...sizes.keys()].filter((url) => /download-screen|share-box|lean-qr|contact|empty-page/u.test(url)),
    ).toEqual([]);
  });

  test('an upload that is started before its code is loaded waits for it', async ({ page, server }) => {
    const release = await holdTransfers(page);
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
});
