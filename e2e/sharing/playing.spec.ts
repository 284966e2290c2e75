// Playing a file in place, before it is saved: it begins with its first chunk, is sought without what lies between, and counts once.
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { wavOf } from '../support/hostile-files.ts';
import { expect, test } from '../support/test.ts';
import {
  chooseFiles,
  openPage,
  pageFiles,
  readShare,
  sha256,
  sha256Of,
  downloadFile,
} from '../support/user-actions.ts';

const MB = 1024 * 1024;

const dialogOf = (page: Page) => page.getByRole('dialog');
const audioOf = (page: Page) => dialogOf(page).locator('audio');

const open = (page: Page, name: string) => page.getByRole('button', { name: `Open ${name}`, exact: true }).click();

/** Resolves when the player has the sound at this time. */
const seek = (page: Page, seconds: number) =>
  audioOf(page).evaluate(
    (audio: HTMLAudioElement, time) =>
      new Promise<number>((resolve) => {
        audio.addEventListener('seeked', () => resolve(audio.currentTime), { once: true });
        audio.currentTime = time;
      }),
    seconds,
  );

/** A sound has as many bytes a second. */
const PER_SECOND = 8000;

test('a long sound with hidden names is played and sought, then saved, and counts once', async ({
  page,
  server,
}, testInfo) => {
  const wav = wavOf(130 * MB);
  // Each chunk is different.
  for (let at = 44; at < wav.length - 4; at += 1000) wav.writeUInt32LE(at, at);
  const path = testInfo.outputPath('long.wav');
  await writeFile(path, wav);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [path]);
  await page.getByText('More options').click();
  await page.getByRole('checkbox', { name: 'Hide file names and exact sizes' }).check();
  await page.getByRole('button', { name: 'Start upload' }).click();
  const share = await readShare(page);
  await openPage(page, share);

  let storedRequests = 0;
  const foreign: string[] = [];
  page.context().on('request', (request) => {
    const { pathname, origin } = new URL(request.url());
    if (pathname.startsWith('/store/')) storedRequests += 1;
    if (origin !== new URL(server.url).origin) foreign.push(request.url());
  });
  await open(page, 'long.wav');
  const lengthOf = () => audioOf(page).evaluate((audio: HTMLAudioElement) => audio.duration);
  await expect.poll(lengthOf).toBeCloseTo((130 * MB - 44) / PER_SECOND, 0);
  const last = (125 * MB) / PER_SECOND;
  expect(await seek(page, last)).toBeCloseTo(last, 0);
  await expect(dialogOf(page).getByText('can’t be shown')).toHaveCount(0);
  expect((await pageFiles(server.url, share.link)).map((file) => file.currentDownloads)).toEqual([1]);
  // The first chunk, the last one, and at most their neighbours: six chunks are in the file.
  expect(storedRequests).toBeGreaterThanOrEqual(2);
  expect(storedRequests).toBeLessThanOrEqual(4);

  const address = await audioOf(page).evaluate((audio: HTMLAudioElement) => audio.src);
  const asDocument = await page.evaluate(
    (url) =>
      fetch(url, { headers: { range: 'bytes=0-9' } }).then(
        ({ status }) => status,
        () => 'refused',
      ),
    address,
  );
  expect(asDocument).toBe('refused');
  await page.goBack();
  await expect(dialogOf(page)).toHaveCount(0);
  expect(await sha256Of(await downloadFile(page, 'long.wav'))).toBe(sha256(wav));
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(foreign).toEqual([]);
});
