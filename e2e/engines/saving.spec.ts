// Every way that a downloaded file reaches the disk: private file system, save dialog, service worker, memory.
import { randomBytes } from 'node:crypto';
import { holdSecondChunk } from '../support/held-requests.ts';
import { sizesOnDisk, stagedBytes } from '../support/staged-files.ts';
import { expect, test } from '../support/test.ts';
import { downloadFile, openPage, pageFiles, send, sha256, sha256Of, startDownload } from '../support/user-actions.ts';

/** Two chunks: Playwright passes at most 50 MB from memory to a page. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
const NOTE = { name: 'メモ.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

const WAYS: [string, () => void][] = [
  [
    'a save dialog',
    () => {
      navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
      const showSaveFilePicker = async () =>
        (await navigator.storage.getDirectory()).getFileHandle('picked', { create: true });
      Object.assign(globalThis, { showSaveFilePicker });
    },
  ],
  [
    'a service worker',
    () => {
      navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
      Reflect.deleteProperty(globalThis, 'showSaveFilePicker');
    },
  ],
  [
    'memory',
    () => {
      navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
      Reflect.deleteProperty(globalThis, 'showSaveFilePicker');
      Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
    },
  ],
];

for (const [way, prepare] of WAYS) {
  test(`saves a file through ${way}`, async ({ page, server }) => {
    const share = await send(page, server.url, [FILE]);
    await page.addInitScript(prepare);
    await openPage(page, share);
    const questions: string[] = [];
    page.on('dialog', async (dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    });
    if (way === 'a save dialog') {
      await page.getByRole('button', { name: `Download ${FILE.name}`, exact: true }).click();
      await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
      const digest = await page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        const file = await (await root.getFileHandle('picked')).getFile();
        return [...new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))];
      });
      expect(Buffer.from(digest).toString('hex')).toBe(sha256(FILE.buffer));
    } else {
      const download = await downloadFile(page, FILE.name);
      expect(download.suggestedFilename()).toBe(FILE.name);
      expect(await sha256Of(download)).toBe(sha256(FILE.buffer));
      await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    }
    expect(await stagedBytes(page)).toBe(0);
    // Saving does not trigger the question about leaving the page.
    expect(questions).toEqual([]);
    await expect.poll(async () => (await pageFiles(server.url, share.link))[0]?.currentDownloads).toBe(1);
  });
}

test('a cancelled stream is a failed download, not a finished file', async ({ page, server }) => {
  const share = await send(page, server.url, [FILE]);
  const [, prepare = () => undefined] = WAYS[1] ?? [];
  await page.addInitScript(prepare);
  await openPage(page, share);
  await holdSecondChunk(page, server);
  const download = await downloadFile(page, FILE.name);
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await download.failure()).not.toBeNull();
});

test('a stream that the browser cancels is an error and is not retried', async ({ page, server }) => {
  const share = await send(page, server.url, [FILE]);
  const [, prepare = () => undefined] = WAYS[1] ?? [];
  await page.addInitScript(prepare);
  await openPage(page, share);
  const chunks = await holdSecondChunk(page, server);
  let grants = 0;
  page.on('request', (request) => (grants += /\/api\/download\/[^/]+$/u.test(request.url()) ? 1 : 0));
  await (await downloadFile(page, FILE.name)).cancel();
  await chunks.release();
  await expect(page.getByRole('alert')).toContainText('The file couldn’t be saved.');
  expect(grants).toBe(1);
  await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
});

test('a file that the browser cancelled can be saved again, even if the server has deleted it', async ({
  page,
  server,
}) => {
  const share = await send(page, server.url, [FILE], 1);
  await openPage(page, share);
  const cancelled = await downloadFile(page, FILE.name);
  await cancelled.cancel();
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expect.poll(() => pageFiles(server.url, share.link)).toEqual([]);
  const again = await startDownload(page, `Save again: ${FILE.name}`);
  expect(again.suggestedFilename()).toBe(FILE.name);
  expect(await sha256Of(again)).toBe(sha256(FILE.buffer));
});

test('a file of one chunk is never staged, and can be saved again, even if the server has deleted it', async ({
  page,
  server,
}) => {
  const photo = { ...NOTE, name: 'photo.raw', buffer: randomBytes(24 * 1024 * 1024) };
  const share = await send(page, server.url, [photo], 1);
  // A staged file could not be opened.
  await page.addInitScript(() => {
    FileSystemDirectoryHandle.prototype.getFileHandle = () => Promise.reject(new Error('staged'));
  });
  await openPage(page, share);
  expect(await sha256Of(await downloadFile(page, photo.name))).toBe(sha256(photo.buffer));
  await expect.poll(() => pageFiles(server.url, share.link)).toEqual([]);
  const again = await startDownload(page, `Save again: ${photo.name}`);
  expect(await sha256Of(again)).toBe(sha256(photo.buffer));
});

test('a saved file is removed from the browser when its page is left', async ({ page, context, server }) => {
  const photo = { ...NOTE, name: 'photo.raw', buffer: Buffer.alloc(10_000_000, 7) };
  const share = await send(page, server.url, [FILE, photo]);
  await page.clock.install();
  await openPage(page, share);
  for (const { name } of [FILE, photo]) await sha256Of(await downloadFile(page, name));
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveCount(2);
  // This page has none of our scripts, which would clean up.
  const scriptless = `${server.url}/api/docs`;
  const other = await context.newPage();
  await other.goto(scriptless);
  // The file of one chunk was in memory only.
  await expect.poll(() => sizesOnDisk(other)).toEqual([FILE.buffer.length]);
  // Within the first minute the file is kept, because the browser may still be copying it.
  await page.clock.fastForward('01:00');
  // Not closed: Chromium ends a closed tab that has not run its handlers after half a second. The next visit cleans up then.
  await page.goto(scriptless);
  await expect.poll(() => sizesOnDisk(other)).toEqual([]);
});
