import { randomBytes } from 'node:crypto';
import { holdBytes } from './support/holding.ts';
import {
  chooseFiles,
  openPage,
  pageFiles,
  readHandover,
  send,
  sha256,
  sha256Of,
  untilLaterScreensLoaded,
} from './support/people.ts';
import { expect, test } from './support/test.ts';

/** Two parts. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

// 0 ms hits the very first request, which loads the worker; 150 ms hits a part that is being sent.
for (const [afterMs, file] of [
  [0, NOTE],
  [150, FILE],
] as const) {
  test(`a network that fails ${afterMs} ms after each click costs time, not the transfer`, async ({
    page,
    context,
    server,
  }) => {
    const cut = async () => {
      await page.waitForTimeout(afterMs);
      await context.setOffline(true);
      await page.waitForTimeout(1000);
      await context.setOffline(false);
    };
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [file]);
    await page.getByRole('button', { name: 'Start upload' }).click();
    await cut();
    const handover = await readHandover(page);

    await openPage(page, handover);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: `Download ${file.name}` }).click();
    await cut();
    expect(await sha256Of(await downloading)).toBe(sha256(file.buffer));
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect((await pageFiles(server.url, handover.link))[0]?.currentDownloads).toBe(1);
  });
}

test('the link and the key are shown even if nothing more can be loaded', async ({ page, context, server }) => {
  const bytes = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [NOTE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await untilLaterScreensLoaded(page);
  await expect.poll(() => bytes.count()).toBeGreaterThan(0);
  await context.route('**/assets/*screen*.js', (route) => route.abort());
  await context.route('**/assets/*view*.js', (route) => route.abort());
  await bytes.release();
  const { link, key } = await readHandover(page);
  expect(key).not.toBe('');
  expect(await pageFiles(server.url, link)).toHaveLength(1);
});

test('a page that is opened while the server is down says so, and loads when it is back', async ({ page, server }) => {
  const handover = await send(page, server.url, [NOTE]);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto(handover.link);
  await expect(page.getByText('Waiting for a connection to the server. It goes on by itself.')).toBeVisible();
  await page.unroute('**/api/**');
  await expect(page.getByRole('button', { name: `Download ${NOTE.name}` })).toBeVisible();
});
