// Choosing what to send: a folder, the limits of the files, and the files of an interrupted upload.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { chooseFiles, readShare } from '../support/user-actions.ts';
import { expect, type Site, test } from '../support/test.ts';

const DAY_SECONDS = 24 * 3600;
const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('sends a folder with its paths, and the chosen number of days and downloads', async ({ page, server }) => {
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
  await page.getByRole('radio', { name: '2 days' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Custom number (1–100)' }).fill('42');
  const startedAt = Math.floor(Date.now() / 1000);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const { link } = await readShare(page);
  const endedAt = Math.ceil(Date.now() / 1000);
  const response = await fetch(`${server.url}/api/download/page/${link.split('/').at(-1)}`);
  const { files } = (await response.json()) as {
    files: { fileName: string; maxDownloads: number; expiresAt: number }[];
  };
  expect(files.map(({ fileName }) => fileName).toSorted()).toEqual(['trip/day 1/a.jpg', 'trip/list.txt']);
  for (const { maxDownloads, expiresAt } of files) {
    expect(maxDownloads).toBe(42);
    expect(expiresAt).toBeGreaterThanOrEqual(startedAt + 2 * DAY_SECONDS);
    expect(expiresAt).toBeLessThanOrEqual(endedAt + 2 * DAY_SECONDS);
  }
  await rm(parent, { recursive: true });
});

/** Returns the number of stored resume records, after it has stored the given one. Undefined before the app's start. */
const resumeRecords = (page: Page, added?: object) =>
  page.evaluate(async (record) => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => request.addEventListener('success', () => resolve(request.result)));
    // Opening a database that does not exist would create it, without the app's table.
    if ((await indexedDB.databases()).length === 0) return undefined;
    const database = await settled(indexedDB.open('furoshiki'));
    const records = database.transaction('uploads', 'readwrite').objectStore('uploads');
    if (record) records.put(record);
    const count = await settled(records.count());
    database.close();
    return count;
  }, added);

/** Starts an upload whose bytes never arrive. Returns the paths that the page requests. */
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
  // Without a stored record the page would cancel its upload when it is left.
  await expect.poll(() => resumeRecords(page)).toBe(1);
  return calls;
}

test('offers an interrupted upload after a reload, sends a changed file as a new one, and can cancel the old one', async ({
  page,
  server,
}) => {
  const calls = await holdUpload(page, server);
  // Only after the reload, because the held requests would continue otherwise.
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const offer = page.getByRole('status').filter({ hasText: 'You have an unfinished upload' });
  const choosing = page.waitForEvent('filechooser');
  await offer.getByRole('button', { name: 'Choose the files and continue' }).click();
  await (await choosing).setFiles([fileOf('a.txt', 'hullo')]);
  await expect(page.getByText('a.txt has changed.')).toBeVisible();
  await page.getByRole('button', { name: 'Start upload' }).click();
  await readShare(page);
  expect(calls).not.toContain('/api/upload/cancel');
  await page.goto(`${server.url}/en`);
  await expect(offer).toContainText('a.txt');

  await offer.getByRole('button', { name: 'Discard upload' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard upload' }).click();
  await expect(offer).toBeHidden();
  await expect.poll(() => calls.includes('/api/upload/cancel')).toBe(true);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  await expect(offer).toBeHidden();
});

test('a resume record that is older than a day is removed on any screen', async ({ page, server }) => {
  await page.goto(`${server.url}/en/faq`);
  await expect.poll(() => resumeRecords(page)).toBe(0);
  expect(await resumeRecords(page, { id: 'A'.repeat(22), savedAtMs: 0 })).toBe(1);
  await page.goto(`${server.url}/en/faq`);
  await expect.poll(() => resumeRecords(page)).toBe(0);
});
