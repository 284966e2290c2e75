// Transfers and pages while the network or the server is away.
import { randomBytes } from 'node:crypto';
import { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import { holdBytes } from '../support/held-requests.ts';
import { ServerProcess } from '../support/server-process.ts';
import {
  chooseFiles,
  openPage,
  pageFiles,
  readShare,
  send,
  sha256,
  sha256Of,
  waitForLoaded,
  waitForPreloadedScreens,
} from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

/** Two parts. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

const WAITING = 'Waiting for the server. Your transfer will pick up where it left off.';
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

for (const [moment, file] of [
  // Then the first request fails, which loads the worker.
  ['before each click', NOTE],
  ['while a part travels', FILE],
] as const) {
  test(`a transfer continues after the network fails ${moment}`, async ({ page, context, server }) => {
    /** Clicks, and cuts the network until the page says that it waits. */
    const clickAndInterrupt = async (button: string) => {
      const bytes = moment === 'before each click' ? undefined : await holdBytes(page, server);
      if (!bytes) await context.setOffline(true);
      await page.getByRole('button', { name: button }).click();
      if (bytes) {
        await expect.poll(() => bytes.count()).toBeGreaterThan(0);
        await context.setOffline(true);
        await bytes.release();
      }
      await expect(page.getByText(WAITING)).toBeVisible();
      await context.setOffline(false);
    };
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [file]);
    // It shows that it waits.
    for (const prefix of ['running-upload-', 'transfer-panel-'])
      for (const end of ['.js', '.css']) await waitForLoaded(page, prefix, end);
    await clickAndInterrupt('Start upload');
    const share = await readShare(page);

    await openPage(page, share);
    const downloading = page.waitForEvent('download');
    await clickAndInterrupt(`Download ${file.name}`);
    expect(await sha256Of(await downloading)).toBe(sha256(file.buffer));
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect((await pageFiles(server.url, share.link))[0]?.currentDownloads).toBe(1);
  });
}

test('a transfer continues on a phone that sleeps and wakes up in another network', async ({ page, browser }) => {
  const server = await ServerProcess.start();
  const proxy = await TcpProxy.start(server.port);
  const phone = await browser.newBrowserCDPSession();
  const signalPages = async (signal: NodeJS.Signals) => {
    const { processInfo } = await phone.send('SystemInfo.getProcessInfo');
    for (const { id, type } of processInfo) if (type === 'renderer') process.kill(id, signal);
  };

  /** Clicks, and puts the page to sleep while bytes travel. Its connections are gone when it wakes up. */
  const clickAndSleep = async (button: string) => {
    const bytes = await holdBytes(page, { bytes: /\/store\//u });
    await page.getByRole('button', { name: button }).click();
    await expect.poll(() => bytes.count()).toBeGreaterThan(0);
    await signalPages('SIGSTOP');
    await proxy.interrupt();
    await bytes.release();
    await proxy.resume();
    await signalPages('SIGCONT');
  };

  await page.goto(`${proxy.url}/en`);
  await chooseFiles(page, [FILE]);
  await clickAndSleep('Start upload');
  const share = await readShare(page);
  await openPage(page, share);
  const downloading = page.waitForEvent('download');
  await clickAndSleep(`Download ${FILE.name}`);
  expect(await sha256Of(await downloading)).toBe(sha256(FILE.buffer));
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  expect((await pageFiles(server.url, share.link))[0]?.currentDownloads).toBe(1);
  await proxy.discard();
  await server.discard();
});

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
  await expect(page.getByText(WAITING)).toBeVisible();
  await page.unroute('**/api/**');
  await expect(page.getByRole('button', { name: `Download ${NOTE.name}` })).toBeVisible();
});
