import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { holdSecondChunk } from './support/holding.ts';
import { fetchFile, openPage, pageFiles, press, send, sha256, sha256Of } from './support/people.ts';
import { sizesOnDisk } from './support/staged-files.ts';
import { expect, test } from './support/test.ts';

const MB = 1024 * 1024;
/** Two chunks: Playwright hands no more than 50 MB to a page. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * MB) };
const NOTE = { name: 'メモ.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
const LIST = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('a\nb\n') };

/** How many bytes are marked as safely on the disk. */
const stagedBytes = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('staging', { create: true });
    for await (const [name, handle] of folder.entries()) {
      if (!name.endsWith('.mark')) continue;
      try {
        const text = await (await (handle as FileSystemFileHandle).getFile()).text();
        return (JSON.parse(text || '{"bytes":0}') as { bytes: number }).bytes;
      } catch {
        // Gone, or half written, since it was listed: the next look tells.
        return 0;
      }
    }
    return 0;
  });

test('under a limit of 1 three downloads are killed half-way, and the fourth goes on where they ended', {
  tag: '@engines',
}, async ({ page, context, server }) => {
  const handover = await send(page, server.url, [FILE], 1);
  for (let times = 0; times < 3; times += 1) {
    const chunks = await holdSecondChunk(page, server);
    await openPage(page, handover);
    await page.getByRole('button', { name: `Download ${FILE.name}`, exact: true }).click();
    await expect.poll(() => stagedBytes(page)).toBe(25 * MB);
    // A page that is left lives on for a moment: what it asked for only then would be let through.
    await expect.poll(chunks.count).toBe(1);
    await page.goto('about:blank');
    await chunks.breakOff();
    await chunks.release();
  }
  const ranges: string[] = [];
  context.on('request', (request) => ranges.push(request.headers()['range'] ?? ''));
  await openPage(page, handover);
  expect(await sha256Of(await fetchFile(page, FILE.name))).toBe(sha256(FILE.buffer));
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  expect(ranges.filter((range) => range !== '')).toEqual([`bytes=${25 * MB + 28}-${26 * MB + 2 * 28 - 1}`]);
  await expect.poll(() => pageFiles(server.url, handover.link)).toEqual([]);
});

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
  test(`a file reaches the disk through ${way}`, async ({ page, server }) => {
    const handover = await send(page, server.url, [FILE]);
    await page.addInitScript(prepare);
    const questions: string[] = [];
    page.on('dialog', async (dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    });
    await openPage(page, handover);
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
      const download = await fetchFile(page, FILE.name);
      expect(download.suggestedFilename()).toBe(FILE.name);
      expect(await sha256Of(download)).toBe(sha256(FILE.buffer));
      await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    }
    expect(await stagedBytes(page)).toBe(0);
    // Nobody leaves the page by it.
    expect(questions).toEqual([]);
    await expect.poll(async () => (await pageFiles(server.url, handover.link))[0]?.currentDownloads).toBe(1);
  });
}

test('a stream that breaks is no finished file', async ({ page, server }) => {
  const handover = await send(page, server.url, [FILE]);
  const [, prepare = () => undefined] = WAYS[1] ?? [];
  await page.addInitScript(prepare);
  await openPage(page, handover);
  await holdSecondChunk(page, server);
  const download = await fetchFile(page, FILE.name);
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await download.failure()).not.toBeNull();
});

test('a stream that the browser drops has failed, and is not fetched again for nothing', async ({ page, server }) => {
  const handover = await send(page, server.url, [FILE]);
  const [, prepare = () => undefined] = WAYS[1] ?? [];
  await page.addInitScript(prepare);
  await openPage(page, handover);
  const chunks = await holdSecondChunk(page, server);
  let grants = 0;
  page.on('request', (request) => (grants += /\/api\/download\/[^/]+$/u.test(request.url()) ? 1 : 0));
  await (await fetchFile(page, FILE.name)).cancel();
  await chunks.release();
  await expect(page.getByRole('alert')).toContainText('The file could not be saved.');
  expect(grants).toBe(1);
  await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
});

test('all files come one after another, or as one ZIP that another program reads', async ({ page, server }) => {
  const handover = await send(page, server.url, [FILE, NOTE, LIST]);
  await openPage(page, handover);
  const archive = await press(page, 'Download all as one ZIP');
  expect(archive.suggestedFilename()).toBe('furoshiki.zip');
  const program =
    'import sys,zipfile,hashlib,json;z=zipfile.ZipFile(sys.argv[1]);print(json.dumps([[n,hashlib.sha256(z.read(n)).hexdigest()] for n in z.namelist()]))';
  const read = execFileSync('python3', ['-c', program, await archive.path()], { encoding: 'utf8' });
  expect(JSON.parse(read)).toEqual([FILE, NOTE, LIST].map(({ name, buffer }) => [name, sha256(buffer)]));
  await expect(page.getByText('The ZIP was saved.')).toBeVisible();
  const counts = async () => (await pageFiles(server.url, handover.link)).map((file) => file.currentDownloads);
  await expect.poll(counts).toEqual([1, 1, 1]);
  const again = await press(page, 'Save again: furoshiki.zip');
  expect(await sha256Of(again)).toBe(await sha256Of(archive));

  await page.getByRole('button', { name: 'Download all', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveCount(3);
  await expect.poll(counts).toEqual([2, 2, 2]);
});

test('what the browser dropped can be saved again, also once the server has nothing left', async ({ page, server }) => {
  const handover = await send(page, server.url, [FILE], 1);
  await openPage(page, handover);
  const dropped = await fetchFile(page, FILE.name);
  await dropped.cancel();
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expect.poll(() => pageFiles(server.url, handover.link)).toEqual([]);
  const again = await press(page, `Save again: ${FILE.name}`);
  expect(again.suggestedFilename()).toBe(FILE.name);
  expect(await sha256Of(again)).toBe(sha256(FILE.buffer));
});

test('what was saved is not left in the browser when its tab is closed', async ({ page, context, server }) => {
  const handover = await send(page, server.url, [NOTE]);
  await page.clock.install();
  await openPage(page, handover);
  await sha256Of(await fetchFile(page, NOTE.name));
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  // No page of ours, which would tidy up by itself.
  const other = await context.newPage();
  await other.goto(`${server.url}/api/docs`);
  expect(await sizesOnDisk(other)).toEqual([NOTE.buffer.length]);
  // Before, the browser may still be copying it.
  await page.clock.fastForward('01:00');
  await page.close();
  await expect.poll(() => sizesOnDisk(other)).toEqual([]);
});

test('a confirmation that did not get through is sent at the next visit', async ({ page, context, server }) => {
  const handover = await send(page, server.url, [NOTE], 1);
  await context.route('**/confirm', (route) => route.fulfill({ status: 503 }));
  await openPage(page, handover);
  await fetchFile(page, NOTE.name);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await page.goto('about:blank');
  expect(await pageFiles(server.url, handover.link)).toHaveLength(1);
  await context.unrouteAll();
  await page.goto(`${server.url}/en`);
  await expect.poll(() => pageFiles(server.url, handover.link)).toEqual([]);
});

test('one file is deleted, then all, and each is asked about first', { tag: '@engines' }, async ({ page, server }) => {
  const handover = await send(page, server.url, [NOTE, LIST]);
  await page.goto(handover.link);
  await page.getByRole('button', { name: `Delete ${NOTE.name}` }).click();
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: `Delete ${NOTE.name}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(`${NOTE.name} was deleted.`)).toBeVisible();
  await expect(page.getByText(`${NOTE.name} was deleted.`)).toBeHidden();
  expect(await pageFiles(server.url, handover.link)).toHaveLength(1);
  await page.getByRole('button', { name: 'Delete all files' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete all files' }).click();
  await expect(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  expect(await pageFiles(server.url, handover.link)).toEqual([]);
});

test('a link with its key opens by itself, also where a gateway has bent it, and leaves no key in the address', async ({
  page,
  server,
}) => {
  const { link, key } = await send(page, server.url, [NOTE]);
  for (const mark of ['#', '%23']) {
    await page.goto('about:blank');
    await page.goto(`${link}${mark}key=${encodeURIComponent(key)}`);
    await expect(page.getByText('The key fits.')).toBeVisible();
    expect(page.url()).toBe(link);
  }
  await page.goto('about:blank');
  await page.goto(link);
  // Into the address of the page that is open: nothing but the fragment changes.
  await expect(page.getByRole('textbox', { name: 'Key', exact: true })).toHaveValue('');
  await page.evaluate((hash) => void (location.hash = hash), `key=${encodeURIComponent(key)}`);
  await expect(page.getByText('The key fits.')).toBeVisible();
  expect(page.url()).toBe(link);
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(`${link}#key=${encodeURIComponent(key)}`);
  await expect(page.getByText('The key fits.')).toBeVisible();
});
