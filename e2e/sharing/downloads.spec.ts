// Downloads from the page of a share link: resuming, several files, confirmation, deletion, links with a key.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Download } from '@playwright/test';
import { holdSecondChunk } from '../support/held-requests.ts';
import { downloadFile, openPage, pageFiles, startDownload, send, sha256, sha256Of } from '../support/user-actions.ts';
import { stagedBytes } from '../support/staged-files.ts';
import { expect, test } from '../support/test.ts';

const MB = 1024 * 1024;
/** Two chunks: Playwright passes at most 50 MB from memory to a page. */
const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * MB) };
const NOTE = { name: 'メモ.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
const LIST = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('a\nb\n') };

test('with a limit of 1, a download continues where three interrupted ones stopped', {
  tag: '@backends',
}, async ({ page, context, server }) => {
  const share = await send(page, server.url, [FILE], 1);
  for (let times = 0; times < 3; times += 1) {
    const chunks = await holdSecondChunk(page, server);
    await openPage(page, share);
    await page.getByRole('button', { name: `Download ${FILE.name}`, exact: true }).click();
    await expect.poll(() => stagedBytes(page)).toBe(25 * MB);
    // The page keeps running for a moment after it is left. A request that it sends only then would not be held.
    await expect.poll(chunks.count).toBe(1);
    await page.goto('about:blank');
    await chunks.abort();
    await chunks.release();
  }
  const ranges: string[] = [];
  context.on('request', (request) => ranges.push(request.headers()['range'] ?? ''));
  await openPage(page, share);
  expect(await sha256Of(await downloadFile(page, FILE.name))).toBe(sha256(FILE.buffer));
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  expect(ranges.filter((range) => range !== '')).toEqual([`bytes=${25 * MB + 28}-${26 * MB + 2 * 28 - 1}`]);
  await expect.poll(() => pageFiles(server.url, share.link)).toEqual([]);
});

test('downloads all files one after another, or as one ZIP that another program can read', async ({ page, server }) => {
  const share = await send(page, server.url, [FILE, NOTE, LIST]);
  await openPage(page, share);
  const archive = await startDownload(page, 'Download all as one ZIP');
  expect(archive.suggestedFilename()).toBe('furoshiki.zip');
  const program =
    'import sys,zipfile,hashlib,json;z=zipfile.ZipFile(sys.argv[1]);print(json.dumps([[n,hashlib.sha256(z.read(n)).hexdigest()] for n in z.namelist()]))';
  const read = execFileSync('python3', ['-c', program, await archive.path()], { encoding: 'utf8' });
  expect(JSON.parse(read)).toEqual([FILE, NOTE, LIST].map(({ name, buffer }) => [name, sha256(buffer)]));
  await expect(page.getByText('The ZIP was saved.')).toBeVisible();
  const counts = async () => (await pageFiles(server.url, share.link)).map((file) => file.currentDownloads);
  await expect.poll(counts).toEqual([1, 1, 1]);
  const again = await startDownload(page, 'Save again: furoshiki.zip');
  expect(await sha256Of(again)).toBe(await sha256Of(archive));

  await page.getByRole('button', { name: 'Download all', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveCount(3);
  await expect.poll(counts).toEqual([2, 2, 2]);
});

test('many small files all reach the disk, in order, although the browser drops downloads that come too fast', async ({
  page,
  server,
}) => {
  const files = Array.from({ length: 25 }, (_, n) => ({
    name: `note ${n}.txt`,
    mimeType: 'text/plain',
    buffer: randomBytes(n + 1),
  }));
  await openPage(page, await send(page, server.url, files));
  const saved: Download[] = [];
  page.on('download', (download) => saved.push(download));
  await page.getByRole('button', { name: 'Download all', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveCount(files.length);
  await expect.poll(() => saved.length).toBe(files.length);
  expect(saved.map((download) => download.suggestedFilename())).toEqual(files.map(({ name }) => name));
  expect(await Promise.all(saved.map(sha256Of))).toEqual(files.map(({ buffer }) => sha256(buffer)));
});

test('a confirmation that failed is sent at the next visit', async ({ page, context, server }) => {
  const share = await send(page, server.url, [NOTE], 1);
  await context.route('**/confirm', (route) => route.fulfill({ status: 503 }));
  await openPage(page, share);
  await downloadFile(page, NOTE.name);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await page.goto('about:blank');
  expect(await pageFiles(server.url, share.link)).toHaveLength(1);
  await context.unrouteAll();
  await page.goto(`${server.url}/en`);
  await expect.poll(() => pageFiles(server.url, share.link)).toEqual([]);
});

test('deletes one file, then all, and asks before each', { tag: '@backends' }, async ({ page, server }) => {
  const share = await send(page, server.url, [NOTE, LIST]);
  await page.goto(share.link);
  await page.getByRole('button', { name: `Delete ${NOTE.name}` }).click();
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: `Delete ${NOTE.name}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(`${NOTE.name} was deleted.`)).toBeVisible();
  await expect(page.getByText(`${NOTE.name} was deleted.`)).toBeHidden();
  expect(await pageFiles(server.url, share.link)).toHaveLength(1);
  await page.getByRole('button', { name: 'Delete all files' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete all files' }).click();
  await expect(page.getByRole('heading', { name: 'These files are gone' })).toBeVisible();
  expect(await pageFiles(server.url, share.link)).toEqual([]);
});

test('reads the key from the link and keeps it in the address, for a reload; warns if a gateway has encoded the #', async ({
  page,
  context,
  server,
}) => {
  const { link, key } = await send(page, server.url, [NOTE]);
  const hash = `#key=${encodeURIComponent(key)}`;
  const opened = async (alerts: number) => {
    await expect(page.getByText('The key fits.')).toBeVisible();
    await expect(page.getByText('It came with the link.')).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(alerts);
    expect(page.url()).toBe(link + hash);
  };
  await page.goto('about:blank');
  await page.goto(`${link}%23key=${encodeURIComponent(key)}`);
  await opened(1);
  const sent: string[] = [];
  context.on('request', (request) =>
    sent.push(request.url().replace(/#.*$/su, ''), JSON.stringify(request.headers()), request.postData() ?? ''),
  );
  await page.reload();
  await opened(0);
  await page.goto('about:blank');
  await page.goto(link + hash);
  await opened(0);
  await downloadFile(page, NOTE.name);
  await page.goto('about:blank');
  await page.goto(link);
  // Pasted into the address of the open page: only the fragment changes.
  await expect(page.getByRole('textbox', { name: 'Key', exact: true })).toHaveValue('');
  await page.evaluate((value) => void (location.hash = value), hash);
  await opened(0);
  // The key is in no request: neither in its address, nor in a header such as Referer, nor in its body.
  expect(sent.filter((text) => text.includes(key.slice(0, 20)) || text.includes(encodeURIComponent(key)))).toEqual([]);
  await page.getByRole('link', { name: 'Back to the home page' }).click();
  await expect(page).toHaveURL(`${server.url}/en`);
  await page.goBack();
  await opened(0);
});

test('the whole message that the sender copies can be pasted for the key', async ({ page, context, server }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { link, key } = await send(page, server.url, [NOTE]);
  await page.goto(link);
  await page.evaluate(
    (text) => navigator.clipboard.writeText(text),
    `Here are some files for you.\n\nLink: ${link}\nKey: ${key}\n\nOpen the link, enter the key and download the files.`,
  );
  await page.getByRole('textbox', { name: 'Key', exact: true }).click();
  await page.keyboard.press('ControlOrMeta+V');
  await expect(page.getByText('The key fits.')).toBeVisible();
});
