// The size of what a first visit loads.
import { gzipSync } from 'node:zlib';
import { expect, test } from '../support/test.ts';

const BUDGET_BYTES = 150 * 1024;

test.describe('without a service worker, whose requests a test cannot intercept', () => {
  test.use({ serviceWorkers: 'block' });

  test('home loads at most 150 KB of compressed scripts and styles', async ({ page, server }) => {
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
    await page.goto(`${server.url}/en`);
    await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(sizes.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
    // Other screens are loaded on demand.
    expect([...sizes.keys()].filter((url) => /download-screen|qr-code|contact|dinosaur/u.test(url))).toEqual([]);
  });
});
