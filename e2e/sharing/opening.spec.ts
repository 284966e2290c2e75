// Opening a file in place, before it is saved: what is shown and counted, and that what strangers send does nothing.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { freePort } from '../../apps/server/testing/process.ts';
import { hostileFiles, pngOf } from '../support/hostile-files.ts';
import { expect, test } from '../support/test.ts';
import {
  chooseFiles,
  openPage,
  pageFiles,
  readShare,
  send,
  sha256,
  sha256Of,
  startDownload,
} from '../support/user-actions.ts';

const dialogOf = (page: Page) => page.getByRole('dialog');

async function openFile(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Open ${name}`, exact: true }).click();
}

async function close(page: Page): Promise<void> {
  await dialogOf(page).getByRole('button', { name: 'Close', exact: true }).click();
  await expect(dialogOf(page)).toHaveCount(0);
}

/** The size of the picture that is shown, and the colour of its first pixel. */
const shownPicture = (page: Page) =>
  dialogOf(page)
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const pixel = canvas.getContext('2d')?.getImageData(0, 0, 1, 1).data ?? [];
      return [canvas.width, canvas.height, ...pixel];
    });

test('a picture and a text with hidden names are opened, then saved, and each counts once', {
  tag: '@backends',
}, async ({ page, server }) => {
  const files = [
    { name: 'photo.png', mimeType: 'image/png', buffer: pngOf(30, 20, randomBytes(2000).toString('hex')) },
    { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from(`Grüße, 日本語\n${'line\n'.repeat(100_000)}`) },
  ] as const;
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [...files]);
  await page.getByText('More options').click();
  await page.getByRole('checkbox', { name: 'Hide file names and exact sizes' }).check();
  await page.getByRole('button', { name: 'Start upload' }).click();
  const share = await readShare(page);
  const counts = async () => (await pageFiles(server.url, share.link)).map((file) => file.currentDownloads);

  await openPage(page, share);
  await expect(page.getByText('Opening a file counts as its download.')).toBeVisible();
  expect(await counts()).toEqual([0, 0]);

  await openFile(page, 'photo.png');
  await expect(dialogOf(page).getByRole('img', { name: 'photo.png' })).toBeVisible();
  expect(await shownPicture(page)).toEqual([30, 20, 200, 30, 60, 255]);
  await page.goBack();
  await expect(dialogOf(page)).toHaveCount(0);

  await openFile(page, 'letter.txt');
  await expect(dialogOf(page).getByText('Grüße, 日本語')).toBeVisible();
  // A part of it. The rest is shown when the reader asks for it.
  expect((await dialogOf(page).locator('pre').innerText()).length).toBeLessThan(70_000);
  expect(await counts()).toEqual([1, 1]);
  const saved = page.waitForEvent('download');
  await dialogOf(page).getByRole('button', { name: 'Save', exact: true }).click();
  expect(await sha256Of(await saved)).toBe(sha256(files[1].buffer));
  expect(await sha256Of(await startDownload(page, 'Download photo.png'))).toBe(sha256(files[0].buffer));
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveCount(2);
  expect(await counts()).toEqual([1, 1]);
});

test('a file with one download can be opened, opened again after a reload, and then saved', async ({
  page,
  server,
}) => {
  const file = { name: 'only.txt', mimeType: 'text/plain', buffer: Buffer.from('only once') };
  const share = await send(page, server.url, [file], 1);
  for (let visit = 0; visit < 2; visit += 1) {
    await openPage(page, share);
    await openFile(page, file.name);
    await expect(dialogOf(page).getByText('only once')).toBeVisible();
    await close(page);
  }
  expect(await sha256Of(await startDownload(page, 'Download only.txt'))).toBe(sha256(file.buffer));
  await expect.poll(() => pageFiles(server.url, share.link)).toEqual([]);
});

// Every violation of the policy is an error in the console, which fails a test.
test('what strangers send runs no script, asks no other address and does not stop the page', async ({
  page,
  server,
}) => {
  const evil = `http://127.0.0.1:${await freePort()}`;
  const files = hostileFiles(evil);
  const share = await send(page, server.url, files);
  const asked: string[] = [];
  page.context().on('request', (request) => {
    if (!request.url().startsWith(server.url)) asked.push(request.url());
  });
  // Nothing may be decoded where it could stop the page.
  await page.addInitScript(() => {
    globalThis.createImageBitmap = () => {
      throw new Error('decoded in the page');
    };
  });
  await openPage(page, share);
  const address = page.url();
  for (const { name, isShownAs, buffer } of files) {
    await openFile(page, name);
    const dialog = dialogOf(page);
    if (isShownAs === 'text') {
      await expect(dialog.locator('pre')).toBeVisible();
      expect(await dialog.locator('pre').textContent(), name).toBe(buffer.toString());
    } else if (isShownAs === 'picture') {
      await expect(dialog.getByRole('img', { name })).toBeVisible();
      expect((await shownPicture(page)).slice(2), name).toEqual([200, 30, 60, 255]);
    } else await expect(dialog.getByText('This file can’t be shown here.'), name).toBeVisible();
    const foreign = dialog.locator('iframe, object, embed, script, form, link, img, image, svg:not(.icon), a');
    await expect(foreign, name).toHaveCount(0);
    await close(page);
  }
  expect(asked.filter((url) => !url.startsWith('blob:') && !url.startsWith('data:'))).toEqual([]);
  expect(page.url()).toBe(address);
  expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  expect((await pageFiles(server.url, share.link)).map((file) => file.currentDownloads)).toEqual(files.map(() => 1));
});
