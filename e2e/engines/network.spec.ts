// Transfers and pages while the network or the server is away.
import { randomBytes } from 'node:crypto';
import { holdBytes } from '../support/held-requests.ts';
import {
  chooseFiles,
  openPage,
  pageFiles,
  readShare,
  send,
  sha256,
  sha256Of,
  waitForPreloadedScreens,
} from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

/** Two parts. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

// After 0 ms the first request fails, which loads the worker. After 150 ms a part that is being sent fails.
for (const [afterMs, file] of [
  [0, NOTE],
  [150, FILE],
] as const) {
  test(`a transfer continues after the network fails ${afterMs} ms after each click`, async ({
    page,
    context,
    server,
  }) => {
    const interruptNetwork = async () => {
      await page.waitForTimeout(afterMs);
      await context.setOffline(true);
      await page.waitForTimeout(1000);
      await context.setOffline(false);
    };
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [file]);
    await page.getByRole('button', { name: 'Start upload' }).click();
    await interruptNetwork();
    const share = await readShare(page);

    await openPage(page, share);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: `Download ${file.name}` }).click();
    await interruptNetwork();
    expect(await sha256Of(await downloading)).toBe(sha256(file.buffer));
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect((await pageFiles(server.url, share.link))[0]?.currentDownloads).toBe(1);
  });
}

test('shows the link and the key even if no more scripts can be loaded', async ({ page, context, server }) => {
  const bytes = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [NOTE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await waitForPreloadedScreens(page);
  await expect.poll(() => bytes.count()).toBeGreaterThan(0);
  await context.route('**/assets/*screen*.js', (route) => route.abort());
  await context.route('**/assets/*view*.js', (route) => route.abort());
  await bytes.release();
  const { link, key } = await readShare(page);
  expect(key).not.toBe('');
  expect(await pageFiles(server.url, link)).toHaveLength(1);
});

test('a page that is opened while the server is down shows that it waits, and loads when the server is back', async ({
  page,
  server,
}) => {
  const share = await send(page, server.url, [NOTE]);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto(share.link);
  await expect(page.getByText('Waiting for a connection to the server. It resumes automatically.')).toBeVisible();
  await page.unroute('**/api/**');
  await expect(page.getByRole('button', { name: `Download ${NOTE.name}` })).toBeVisible();
});
