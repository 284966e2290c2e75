// Leaving a page during a transfer: the question, the cleanup on the server and on disk.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { holdBytes, holdSecondChunk } from '../support/held-requests.ts';
import { chooseFiles, openPage, send } from '../support/user-actions.ts';
import { expect, type Site, test } from '../support/test.ts';
import { retryIfGone } from '../support/probes.ts';

const FILE = { name: 'file.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

const stagedFiles = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const names: string[] = [];
    for await (const folder of root.values()) {
      if (folder.kind !== 'directory') continue;
      for await (const name of folder.keys()) names.push(name);
    }
    return names;
  });

/** Excludes keys of earlier tests of this worker, which the sweeper may remove at any time. */
async function keysSince(server: Site, before: string[]): Promise<string[]> {
  const keys = await retryIfGone(() => server.storedKeys());
  return keys.filter((key) => !before.includes(key));
}

test('an upload is cancelled when its screen is left, and leaves nothing on the server', { tag: '@backends' }, async ({
  page,
  server,
}) => {
  const calls: string[] = [];
  page.on('request', (request) =>
    calls.push(server.bytes.test(request.url()) ? 'bytes' : new URL(request.url()).pathname),
  );
  // Parts that never get a response keep the upload running.
  await page.route(server.bytes, () => undefined);
  const before = await keysSince(server, []);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [{ ...FILE, buffer: Buffer.from('hello') }]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => calls.includes('bytes')).toBe(true);
  expect(await keysSince(server, before)).toHaveLength(1);
  await page.evaluate(() => {
    history.pushState(null, '', '/en/nowhere');
  });
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect.poll(() => calls.includes('/api/upload/cancel')).toBe(true);
  await expect.poll(() => keysSince(server, before)).toEqual([]);
});

test('a cancelled download leaves nothing on disk and can be started again', async ({ page, server }) => {
  await openPage(page, await send(page, server.url, [FILE]));
  const chunks = await holdSecondChunk(page, server);
  const download = page.getByRole('button', { name: `Download ${FILE.name}` });
  for (let times = 0; times < 2; times += 1) {
    await download.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('The download was cancelled.')).toBeVisible();
    await expect.poll(() => stagedFiles(page)).toEqual([]);
  }
  await chunks.release();
  const downloading = page.waitForEvent('download');
  await download.click();
  await downloading;
  // A saved file stays until the tab is closed, because the browser may still be copying it. Its checkpoint is removed.
  await expect.poll(() => stagedFiles(page)).toEqual([expect.not.stringMatching(/\.mark$/u)]);
  await page.reload();
  await expect.poll(() => stagedFiles(page)).toEqual([]);
});

test('a reload asks the sender who has not copied the key, and then says that the key is lost', async ({
  page,
  server,
}) => {
  const { link } = await send(page, server.url, [{ ...FILE, buffer: Buffer.from('hello') }]);
  const questions: string[] = [];
  page.on('dialog', async (dialog) => {
    questions.push(dialog.type());
    await dialog.accept();
  });
  await page.reload();
  await expect(page.getByText('Are these your files? We can’t show the key again.')).toBeVisible();
  expect(questions).toEqual(['beforeunload']);
  await expect(page).toHaveTitle('Files you sent — Furoshiki');
  // Another tab is not the sender's.
  const other = await page.context().newPage();
  await other.goto(link);
  await expect(other.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  // Nothing is left to lose.
  await page.reload();
  expect(questions).toHaveLength(1);
});

/** Like the browser's back button. It stays within the site, so the page is not unloaded. */
const goBack = (page: Page) => page.evaluate(() => history.back());

test('asks before going back during an upload, and the upload continues if the user stays', async ({
  page,
  server,
}) => {
  const bytes = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  // Wait until the page is hydrated: before that a link loads another page, and going back from there unloads it.
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  await page.getByRole('link', { name: 'FAQ' }).click();
  await page.getByRole('link', { name: 'Furoshiki, start over' }).click();
  await chooseFiles(page, [{ ...FILE, buffer: Buffer.from('hello') }]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(bytes.count).toBe(1);

  const questions: string[] = [];
  let isLeaving = false;
  page.on('dialog', async (dialog) => {
    questions.push(dialog.message());
    await (isLeaving ? dialog.accept() : dialog.dismiss());
  });
  // Every attempt is asked about.
  for (let times = 1; times <= 2; times += 1) {
    await goBack(page);
    await expect.poll(() => questions.length).toBe(times);
    await expect(page).toHaveURL(`${server.url}/en`);
    await expect(page.getByRole('progressbar')).toBeVisible();
  }
  await page.getByRole('link', { name: 'FAQ' }).click();
  await expect.poll(() => questions.length).toBe(3);
  await expect(page.getByRole('progressbar')).toBeVisible();
  expect(new Set(questions)).toEqual(new Set(['A transfer is running. Leave this page and stop it?']));

  isLeaving = true;
  await goBack(page);
  await expect(page.getByRole('heading', { name: 'Frequently asked questions' })).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/en/faq`);
});
