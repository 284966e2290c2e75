// What a first visit costs, and how calm the page is while it works.
import { gzipSync } from 'node:zlib';
import { chooseFiles } from './support/people.ts';
import { expect, test } from './support/test.ts';

const BUDGET_BYTES = 150 * 1024;

test.describe('without a service worker, whose requests no test can answer', () => {
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
    // What is kept for reading offline comes when all else is done, and is no part of it.
    await page.route('**/offline/*.json', (route) => route.fulfill({ json: [] }));
    await page.goto(`${server.url}/en`);
    await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(sizes.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
    // Other screens come when they are asked for.
    expect([...sizes.keys()].filter((url) => /download-screen|qr-code|contact|dinosaur/u.test(url))).toEqual([]);
  });
});

test('nothing moves while an upload runs, and its progress is on the tab', async ({ page, server }) => {
  // Where there is least room.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [{ name: 'a.bin', mimeType: '', buffer: Buffer.alloc(40 * 1024 * 1024, 1) }]);
  // Slow enough to be watched, and large enough to outlast whoever watches slowly.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 1024 * 1024,
  });
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  const shifts = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift' });
        setTimeout(() => resolve(sum), 3500);
      }),
  );
  // A digit more in a number is nothing that anybody sees; a line that moves is ten times as much.
  expect(shifts).toBeLessThan(0.0005);
  await expect(page).toHaveTitle(/^\d+% · /u);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg\+xml/u);
});

test('a thousand files are listed, and one of them is taken out', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  const files = Array.from({ length: 1000 }, (_, n) => ({
    name: `picture ${n}.jpg`,
    mimeType: '',
    buffer: Buffer.from(String(n)),
  }));
  await chooseFiles(page, files);
  await expect(page.getByText('1,000 files').or(page.getByText('1000 files'))).toBeVisible();
  await page.getByRole('button', { name: 'Remove picture 500.jpg' }).click();
  await expect(page.getByText('999 files')).toBeVisible();
  // The others were not made again.
  expect(await page.getByRole('list', { name: 'Files to send' }).getByRole('listitem').count()).toBe(999);
});

test('files can be dropped and pasted anywhere on the page', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  const give = (type: 'drop' | 'paste', name: string) =>
    page.evaluate(
      ([kind, fileName]) => {
        const data = new DataTransfer();
        data.items.add(new File(['hello'], fileName));
        const target = document.querySelector('footer');
        if (kind === 'drop') {
          target?.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
          target?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        } else {
          target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
        }
      },
      [type, name] as const,
    );
  await give('drop', 'dropped.txt');
  await expect(page.getByText('1 file')).toBeVisible();
  await give('paste', 'pasted.txt');
  await expect(page.getByText('2 files')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Files to send' })).toContainText('pasted.txt');
});
