// Transfers that run, wait or are being ended, and pages that cannot be downloaded: what they show, and that it is sound.
import { holdBytes } from './support/holding.ts';
import { chooseFiles, type GivenFile, openPage, pageFiles, readHandover, send } from './support/people.ts';
import { expectSound } from './support/sound.ts';
import { expect, test } from './support/test.ts';

const fileOf = (name: string): GivenFile => ({ name, mimeType: 'text/plain', buffer: Buffer.from('hello') });
const FILES = ['a.txt', 'b.txt', 'c.txt'].map(fileOf);

// axe takes its time, four times for each state.

test('downloads wait for each other, and one that waits can be taken out', async ({ page, server }) => {
  await openPage(page, await send(page, server.url, FILES));
  const bytes = await holdBytes(page, server);
  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await page.getByRole('button', { name: 'Download all', exact: true }).click();
  await expect.poll(bytes.count).toBe(1);
  await expect(rowOf('a.txt').getByRole('progressbar', { name: 'a.txt' })).toBeVisible();
  await expect(rowOf('b.txt').getByRole('button', { name: 'Waiting in the queue (number 1)' })).toBeDisabled();
  await expect(rowOf('c.txt').getByRole('button', { name: 'Waiting in the queue (number 2)' })).toBeDisabled();
  await expectSound(page);

  await page.getByRole('button', { name: 'Cancel b.txt' }).click();
  await expect(rowOf('c.txt').getByRole('button', { name: 'Waiting in the queue (number 1)' })).toBeVisible();
  await rowOf('a.txt').getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(rowOf('a.txt').getByText('The download was cancelled.')).toBeVisible();
  await expect(rowOf('c.txt').getByRole('progressbar', { name: 'c.txt' })).toBeVisible();
  await bytes.release();
  await expect(rowOf('c.txt').getByRole('button', { name: 'Saved' })).toBeVisible();
  await expect(rowOf('b.txt').getByRole('button', { name: 'Download b.txt' })).toBeEnabled();
  await expectSound(page);
});

test('a ZIP shows how far it is, and can be cancelled', async ({ page, server }) => {
  await openPage(page, await send(page, server.url, FILES));
  const bytes = await holdBytes(page, server);
  await page.getByRole('button', { name: 'Download all as one ZIP' }).click();
  await expect.poll(bytes.count).toBeGreaterThan(0);
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expect(page.getByText('File 1 of 3')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download a.txt' })).toBeDisabled();
  await expectSound(page);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.getByText('The download was cancelled.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download all as one ZIP' })).toBeEnabled();
});

test('who comes too late is told that the limit is reached', async ({ page, request, server }) => {
  const handover = await send(page, server.url, FILES, 1);
  await openPage(page, handover);
  // Somebody else is quicker.
  const [first] = await pageFiles(server.url, handover.link);
  const grant = await request.get(`${server.url}/api/download/${first?.id}`, {
    headers: { accept: 'application/json' },
  });
  expect(grant.status()).toBe(200);
  await page.getByRole('button', { name: 'Download a.txt' }).click();
  await expect(page.getByRole('alert').first()).toContainText('limit');
  await expect(page.getByRole('button', { name: 'Download limit reached' })).toHaveCount(FILES.length);
  await expect(page.getByRole('button', { name: 'Download all', exact: true })).toBeDisabled();
  await expectSound(page);
});

test('the browser inside an app is told to hand the link on', async ({ page, browser, server }) => {
  const handover = await send(page, server.url, FILES);
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Instagram 300.0' });
  const inApp = await context.newPage();
  await openPage(inApp, handover);
  await expect(inApp.getByRole('alert').getByRole('button', { name: 'Copy link' })).toBeVisible();
  await expect(inApp.getByRole('button', { name: 'Download a.txt' })).toBeDisabled();
  await expectSound(inApp);
  await context.close();
});

test('an upload that was interrupted is offered again', async ({ page, server }) => {
  const bytes = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, FILES);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(bytes.count).toBeGreaterThan(0);
  await page.reload();
  const offer = page.getByRole('status').filter({ hasText: 'An upload was interrupted' });
  await expect(offer.getByRole('button', { name: 'Choose the files and go on' })).toBeVisible();
  await expect(offer.getByRole('button', { name: 'Give up this upload' })).toBeVisible();
  await expectSound(page);
});

test('an upload without a network waits, says so, and goes on by itself', async ({ page, context, server }) => {
  const bytes = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, FILES);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(bytes.count).toBeGreaterThan(0);
  await context.setOffline(true);
  await bytes.breakOff();
  await expect(page.getByText('Waiting for a connection to the server. It goes on by itself.')).toBeVisible();
  await expectSound(page);
  await bytes.release();
  await context.setOffline(false);
  await readHandover(page);
});

test('an upload that is being cancelled says so, and what was refused before is told no more', async ({
  page,
  server,
}) => {
  const bytes = await holdBytes(page, server);
  // An answer that never comes: only the three seconds end the waiting for it, and here they are as long as axe needs.
  await page.route('**/api/upload/cancel', () => undefined);
  await page.addInitScript(() => {
    const later = globalThis.setTimeout;
    const waiting: (() => void)[] = [];
    const setTimeout = (then: () => void, ms?: number) => (ms === 3000 ? waiting.push(then) : later(then, ms));
    Object.assign(globalThis, { setTimeout, passThreeSeconds: () => waiting.splice(0).forEach((then) => then()) });
  });
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [...FILES, { ...fileOf('void.txt'), buffer: Buffer.from('') }]);
  await expect(page.getByRole('alert')).toHaveText('void.txt: the file is empty');
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(bytes.count).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('paragraph').filter({ hasText: 'Cancelling' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await expectSound(page);
  await page.evaluate(() => (globalThis as unknown as { passThreeSeconds(): void }).passThreeSeconds());
  await expect(page.getByRole('alert')).toHaveText('The upload was cancelled.');
});

test('the screen stays on for as long as something is under way, up and down', async ({ page, server }) => {
  await page.addInitScript(() => {
    const locks: WakeLockSentinel[] = [];
    Object.assign(globalThis, { locks });
    const request = WakeLock.prototype.request;
    WakeLock.prototype.request = async function (type) {
      const lock = await request.call(this, type);
      locks.push(lock);
      return lock;
    };
  });
  const isOn = () =>
    page.evaluate(() =>
      (globalThis as unknown as { locks: WakeLockSentinel[] }).locks.some(({ released }) => !released),
    );
  const uploading = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [fileOf('a.txt')]);
  expect(await isOn()).toBe(false);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(isOn).toBe(true);
  await uploading.release();
  const handover = await readHandover(page);
  await expect.poll(isOn).toBe(false);

  await openPage(page, handover);
  const downloading = await holdBytes(page, server);
  await page.getByRole('button', { name: 'Download a.txt' }).click();
  await expect.poll(isOn).toBe(true);
  await downloading.release();
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expect.poll(isOn).toBe(false);
});
