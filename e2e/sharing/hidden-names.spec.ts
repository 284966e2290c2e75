// Hidden names: what the server stores, logs and sends to someone without the key says nothing about the files.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../apps/server/testing/process.ts';
import { ServerProcess } from '../support/server-process.ts';
import {
  chooseFiles,
  downloadFile,
  openPage,
  pageFiles,
  readShare,
  sha256,
  sha256Of,
} from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const clientPath = (name: string) => fileURLToPath(new URL(`../independent-client/${name}`, import.meta.url));
const run = promisify(execFile);

// Random, because other tests use the same database server.
const MARK = randomBytes(8).toString('hex');
const FILES = [
  { name: `Kündigung Müller ${MARK}.pdf`, mimeType: `application/x-telling-${MARK}`, buffer: randomBytes(123_457) },
  { name: `passport-${MARK}.jpg`, mimeType: `image/x-telling-${MARK}`, buffer: randomBytes(3) },
];
/** The size of the first file, plain or encrypted, as a whole number: a timestamp may contain the same digits. */
const SIZE = /(?<![\d.])(?:123457|123485)(?!\d)/u;
const TITLE = `Title ${MARK}`;
const MESSAGE = `Message ${MARK}\nwith two lines`;

/** The files below a folder that contain the text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found = await run('grep', ['-rlaF', '--', text, folder]).catch((failed: { code?: number; stdout: string }) => {
    // Files that disappear meanwhile, and no match, are no errors.
    if ((failed.code ?? 0) > 2) throw new Error('the search failed');
    return failed;
  });
  return found.stdout.split('\n').filter((path) => path !== '');
}

test('a hidden upload leaves no name, type, note or exact size anywhere, and arrives whole', {
  tag: '@backends',
}, async ({ page, browser, server, cluster }) => {
  const metricsPort = await freePort();
  const own = cluster ? undefined : await ServerProcess.start({ LOG_LEVEL: 'info', METRICS_PORT: String(metricsPort) });
  const site = own ?? server;

  await page.goto(`${site.url}/en`);
  await chooseFiles(page, FILES);
  await page.getByText('More options').click();
  await page.getByRole('checkbox', { name: 'Hide file names and exact sizes' }).check();
  await page.getByLabel('Title').fill(TITLE);
  await page.getByLabel('Message').fill(MESSAGE);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const share = await readShare(page);

  // Someone with only the link sees how many files there are, and gets nothing.
  const stranger = await (await browser.newContext({ locale: 'en-US' })).newPage();
  const bodies: Promise<string>[] = [];
  stranger.on('response', (response) => {
    if (response.url().includes('/api/')) bodies.push(response.text().catch(() => ''));
  });
  await stranger.goto(share.link);
  await expect(stranger.getByText(/^2 files, about 12\d/u)).toBeVisible();
  await expect(stranger.getByRole('button', { name: /^Download/u })).toHaveCount(0);
  const ids = (await pageFiles(site.url, share.link)).map(({ id }) => id);
  const accept = { headers: { accept: 'application/json' } };
  for (const id of ids)
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const refused = await fetch(`${site.url}/api/download/${id}`, accept);
      bodies.push(refused.text());
      expect(refused.status).toBe(401);
    }
  for (const id of ids) bodies.push(fetch(`${site.url}/api/download/info/${id}`).then((info) => info.text()));
  expect((await pageFiles(site.url, share.link)).map(({ currentDownloads }) => currentDownloads)).toEqual([0, 0]);
  const told = (await Promise.all(bodies)).join('\n');
  expect(told.length).toBeGreaterThan(1000);
  for (const secret of [MARK, 'Kündigung', 'passport-', 'x-telling']) expect(told).not.toContain(secret);
  expect(told).not.toMatch(SIZE);

  // Nothing is stored or logged either.
  expect(site.log).not.toContain(MARK);
  expect(site.log).not.toMatch(SIZE);
  if (own) {
    expect(await filesWith(own.dataDir, MARK)).toEqual([]);
    expect(await filesWith(own.dataDir, 'x-telling')).toEqual([]);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).not.toContain(MARK);
    // Proves that the search finds text in these files.
    expect(await filesWith(own.dataDir, ids[0] ?? '')).not.toEqual([]);
  } else if (cluster) {
    expect((await server.storedKeys()).join()).not.toContain(MARK);
    const folder = await cluster.postgres.flushedDataFolder();
    expect(await filesWith(folder, MARK)).toEqual([]);
    expect(await filesWith(folder, ids[0] ?? '')).not.toEqual([]);
  }

  // With the key everything is there.
  await openPage(stranger, share);
  await expect(stranger.getByText(TITLE)).toBeVisible();
  await expect(stranger.getByText(MESSAGE)).toBeVisible();
  for (const [index, { name, buffer }] of FILES.entries()) {
    expect(await sha256Of(await downloadFile(stranger, name))).toBe(sha256(buffer));
    // A saved file gets another line, which moves the button that is clicked next.
    await expect(stranger.getByRole('button', { name: 'Saved' })).toHaveCount(index + 1);
  }
  await stranger.context().close();
  const out = test.info().outputPath('out');
  const opened = await run(process.execPath, [clientPath('open-page.mjs'), share.link, share.key, out]);
  expect(JSON.parse(opened.stdout)).toMatchObject(
    FILES.map(({ name, buffer }) => ({ fileName: name, bytes: buffer.length })),
  );
  await own?.discard();
});

test('a page that the independent client has made opens in a browser', {
  tag: '@backends',
}, async ({ page, server }) => {
  const path = clientPath('send-files.mjs');
  const { stdout } = await run(process.execPath, [
    clientPath('send-files.mjs'),
    server.url,
    path,
    '--hide',
    '--title',
    TITLE,
  ]);
  const [, link = '', key = ''] = /^link: (\S+)\nkey: (\S+)$/mu.exec(stdout) ?? [];
  await openPage(page, { link, key });
  await expect(page.getByText(TITLE)).toBeVisible();
  expect(await sha256Of(await downloadFile(page, 'send-files.mjs'))).toBe(sha256(await readFile(path)));
});

test('a server that changes a page is noticed before a download is counted', async ({ page, server }) => {
  const sent = [FILES[0], { ...FILES[1], name: 'b.txt' }, { ...FILES[1], name: 'c.txt' }] as typeof FILES;
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, sent);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const share = await readShare(page);
  type Files = Record<string, unknown>[];
  let change: (files: Files) => Files = (files) => files;
  await page.route('**/api/download/page/*', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { files: Files };
    await route.fulfill({ response, json: { ...json, files: change(json.files) } });
  });
  const lies: [string, typeof change][] = [
    ['The name of a file was changed.', (files) => files.with(1, { ...files[1], fileName: 'b.exe' })],
    ['The size of a file was changed.', (files) => files.with(1, { ...files[1], fileSize: 4 })],
    ['The order of the files was changed.', (files) => files.toReversed()],
    ['swapped with another file’s.', (files) => files.with(1, { ...files[1], details: files[2]?.['details'] })],
    ['a file the sender didn’t put there', (files) => [...files, { ...files[1], id: 'A'.repeat(22) }]],
  ];
  for (const [text, lie] of lies) {
    change = lie;
    await page.goto(share.link);
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill(share.key);
    await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
    for (const button of await page.getByRole('button', { name: /^Download/u }).all())
      await expect(button).toBeDisabled();
  }
  change = (files) => files.slice(1);
  await openPage(page, share);
  await expect(page.getByText('2 of 3 files are left.')).toBeVisible();
  change = (files) => files;
  expect((await pageFiles(server.url, share.link)).map(({ currentDownloads }) => currentDownloads)).toEqual([0, 0, 0]);
});
