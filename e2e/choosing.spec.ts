import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { chooseFiles, readHandover } from './support/people.ts';
import { expect, type Site, test } from './support/test.ts';

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a folder is sent with the paths within it', async ({ page, server }) => {
  const parent = await mkdtemp(join(tmpdir(), 'furoshiki-folder-'));
  await mkdir(join(parent, 'trip', 'day 1'), { recursive: true });
  await writeFile(join(parent, 'trip', 'list.txt'), 'list');
  await writeFile(join(parent, 'trip', 'day 1', 'a.jpg'), 'picture');
  await page.goto(`${server.url}/en`);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await choosing).setFiles(join(parent, 'trip'));
  const list = page.getByRole('list', { name: 'Files to send' });
  await expect(list).toContainText('trip/day 1/a.jpg');
  await expect(list).toContainText('trip/list.txt');
  await page.getByRole('button', { name: 'Start upload' }).click();
  const { link } = await readHandover(page);
  const response = await fetch(`${server.url}/api/download/page/${link.split('/').at(-1)}`);
  const { files } = (await response.json()) as { files: { fileName: string }[] };
  expect(files.map(({ fileName }) => fileName).toSorted()).toEqual(['trip/day 1/a.jpg', 'trip/list.txt']);
  await rm(parent, { recursive: true });
});

test('a file that cannot be sent is named with its reason, and the others stay', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [fileOf('a.txt', 'a'), fileOf('void.txt', '')]);
  await expect(page.getByRole('alert')).toHaveText('void.txt: the file is empty');
  await expect(page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Start upload' })).toBeEnabled();
});

test('the last file is taken out by the keyboard, which goes on from there', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [fileOf('a.txt', 'a')]);
  await page.getByRole('button', { name: 'Remove a.txt' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Lay your files on the cloth' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('main').locator(':focus')).toBeVisible();
});

test('a limit that was typed is still there after an upload that was cancelled', async ({ page, server }) => {
  await page.route(server.bytes, () => undefined);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [fileOf('a.txt', 'hello')]);
  const limit = page.getByRole('spinbutton');
  await limit.fill('42');
  await page.getByRole('button', { name: 'Start upload' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('The upload was cancelled')).toBeVisible();
  await expect(limit).toHaveValue('42');
});

/** Begins an upload whose bytes never get through; answers the calls that the page makes. */
async function holdUpload(page: Page, server: Site): Promise<string[]> {
  const calls: string[] = [];
  page.on('request', (request) =>
    calls.push(server.bytes.test(request.url()) ? 'bytes' : new URL(request.url()).pathname),
  );
  await page.route(server.bytes, () => undefined);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [fileOf('a.txt', 'hello')]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => calls.includes('bytes')).toBe(true);
  return calls;
}

test('an upload that was interrupted can be given up', async ({ page, server }) => {
  const calls = await holdUpload(page, server);
  await page.reload();
  const offer = page.getByRole('status').filter({ hasText: 'An upload was interrupted' });
  await expect(offer).toContainText('a.txt');
  const giveUp = offer.getByRole('button', { name: 'Give up this upload' });
  await giveUp.click();
  await page.getByRole('button', { name: 'Keep' }).click();
  await giveUp.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Give up this upload' }).click();
  await expect(offer).toBeHidden();
  await expect.poll(() => calls.includes('/api/upload/cancel')).toBe(true);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  await expect(offer).toBeHidden();
});

test('a file that has changed since is sent anew, and what was interrupted is still there', async ({
  page,
  server,
}) => {
  const calls = await holdUpload(page, server);
  // Not before the page is left: what was held would go through.
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const offer = page.getByRole('status').filter({ hasText: 'An upload was interrupted' });
  const choosing = page.waitForEvent('filechooser');
  await offer.getByRole('button', { name: 'Choose the files and go on' }).click();
  await (await choosing).setFiles([fileOf('a.txt', 'hullo')]);
  await expect(page.getByText('a.txt is not the file that it was.')).toBeVisible();
  await page.getByRole('button', { name: 'Start upload' }).click();
  await readHandover(page);
  expect(calls).not.toContain('/api/upload/cancel');
  await page.goto(`${server.url}/en`);
  await expect(offer).toContainText('a.txt');
});
