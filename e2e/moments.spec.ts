// What is told for a moment, or to who is elsewhere: confirmations, notifications, the live count. No test waits: the
// page's clock is moved.
import type { Page } from '@playwright/test';
import { fetchFile, type GivenFile, openPage, pageFiles, send } from './support/people.ts';
import { expect, test } from './support/test.ts';

const NOTE: GivenFile = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
const LIST: GivenFile = { ...NOTE, name: 'list.txt' };

/** From here on the page's time moves only as it is told. */
const stopClock = (page: Page) => page.clock.pauseAt(Date.now() + 60_000);

test('a copy is confirmed for three seconds', async ({ page, server }) => {
  await page.clock.install();
  // Our own policy lets nobody read the clipboard, not even a test.
  await page.addInitScript(() => {
    Object.assign(navigator.clipboard, {
      writeText: async (text: string) => Object.assign(globalThis, { copied: text }),
    });
  });
  const { link } = await send(page, server.url, [NOTE]);
  await stopClock(page);
  const field = page.getByRole('group', { name: 'Link', exact: true });
  await field.getByRole('button', { name: 'Copy link' }).click();
  await expect(field.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe(link);
  await page.clock.runFor(2900);
  await expect(field.getByRole('button', { name: 'Copied' })).toBeVisible();
  await page.clock.runFor(200);
  await expect(field.getByRole('button', { name: 'Copy link' })).toBeVisible();
});

test('a deletion is told of for five seconds, and so is one that failed', async ({ page, server }) => {
  await page.clock.install();
  const { link } = await send(page, server.url, [NOTE, LIST]);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  await stopClock(page);
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  };
  const expectForFiveSeconds = async (text: string) => {
    const news = page.getByText(text);
    // News that follow each other closely are shown together, a tenth of a second after the answer, whenever that comes.
    await expect(async () => {
      await page.clock.runFor(100);
      await expect(news).toBeVisible({ timeout: 1000 });
    }).toPass();
    await page.clock.runFor(4700);
    await expect(news).toBeVisible();
    await page.clock.runFor(300);
    await expect(news).toBeHidden();
  };
  await page.route('**/api/**', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 400, json: {} }) : route.continue(),
  );
  await remove(LIST.name);
  await expectForFiveSeconds(`Failed to delete file: ${LIST.name}`);
  await page.unrouteAll();
  await remove(NOTE.name);
  await expectForFiveSeconds(`${NOTE.name} was deleted.`);
});

test('who is elsewhere is told that the files are ready, that somebody has them, and that they are saved', async ({
  page,
  context,
  request,
  server,
}) => {
  await context.grantPermissions(['notifications']);
  await page.clock.install();
  await page.addInitScript(() => {
    const told: string[] = [];
    Object.assign(globalThis, { told });
    // A browser without a screen shows none; what it is asked to show is what counts.
    ServiceWorkerRegistration.prototype.showNotification = async (_, options) => void told.push(options?.body ?? '');
    Object.defineProperty(document, 'hidden', { get: () => true });
  });
  const told = () => page.evaluate(() => (globalThis as unknown as { told: string[] }).told);
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page
    .getByRole('radiogroup', { name: 'Notifications' })
    .getByRole('radio', { name: 'On' })
    .check({ force: true });
  const handover = await send(page, server.url, [NOTE]);
  await expect.poll(told).toEqual(['Your files are ready to be handed over.']);
  await expect(page.getByText('Downloaded 0 of 5')).toBeVisible();

  const [file] = await pageFiles(server.url, handover.link);
  await request.get(`${server.url}/api/download/${file?.id}`, { headers: { accept: 'application/json' } });
  await page.clock.runFor(10_000);
  await expect(page.getByText('Downloaded 1 of 5')).toBeVisible();
  await expect.poll(told).toEqual(['Your files are ready to be handed over.', 'Your files were downloaded.']);

  await openPage(page, handover);
  await (await fetchFile(page, NOTE.name)).path();
  await expect.poll(told).toEqual([`${NOTE.name} has been saved.`]);
});

test('a link is handed to the sheet of the system where there is one', async ({ page, server }) => {
  await page.addInitScript(() => {
    const shared: unknown[] = [];
    Object.assign(globalThis, { shared });
    Object.assign(navigator, { share: async (data: unknown) => void shared.push(data) });
  });
  const { link } = await send(page, server.url, [NOTE]);
  await page.getByText('More ways to hand it over').click();
  await page.getByRole('button', { name: 'Share the link' }).click();
  // The link alone: the key goes another way.
  expect(await page.evaluate(() => (globalThis as unknown as { shared: unknown[] }).shared)).toEqual([{ url: link }]);
});
