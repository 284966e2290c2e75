// Files travel from one browser to another and to an independent client, and the key is never sent or stored.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { downloadFile, openPage, pageFiles, send, sha256, sha256Of } from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const INDEPENDENT_CLIENT = fileURLToPath(new URL('../independent-client/open-page.mjs', import.meta.url));
const SMALL = { name: 'サンプル "a".txt', mimeType: 'text/plain', buffer: randomBytes(300 * 1024) };

/** Creates a file of three parts on disk: Playwright cannot pass so many bytes to the browser from memory. */
async function withBigFile(work: (path: string, bytes: Buffer) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-big-'));
  const bytes = randomBytes(61 * 1024 * 1024);
  const path = join(folder, 'three parts.bin');
  await writeFile(path, bytes);
  try {
    await work(path, bytes);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('two files arrive unchanged in another browser and in the independent client', {
  tag: '@backends',
}, async ({ page, browser, server }) => {
  await withBigFile(async (path, bytes) => {
    const folder = join(path, '..');
    const smallPath = join(folder, SMALL.name);
    await writeFile(smallPath, SMALL.buffer);
    const share = await send(page, server.url, [path, smallPath]);
    expect(share.key).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
    expect(share.link).not.toContain(share.key);

    const recipient = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await openPage(recipient, share);
    expect(await sha256Of(await downloadFile(recipient, 'three parts.bin'))).toBe(sha256(bytes));
    await expect(recipient.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect(await sha256Of(await downloadFile(recipient, SMALL.name))).toBe(sha256(SMALL.buffer));
    await recipient.context().close();

    const out = await mkdtemp(join(folder, 'independent-client-'));
    const { stdout } = await promisify(execFile)(process.execPath, [INDEPENDENT_CLIENT, share.link, share.key, out]);
    expect(JSON.parse(stdout)).toMatchObject([
      { fileName: 'three parts.bin', sha256: sha256(bytes), bytes: bytes.length },
      { fileName: SMALL.name, sha256: sha256(SMALL.buffer), bytes: SMALL.buffer.length },
    ]);
    expect(sha256(await readFile(join(out, 'three parts.bin')))).toBe(sha256(bytes));
    expect((await pageFiles(server.url, share.link)).map((file) => file.currentDownloads)).toEqual([2, 2]);
  });
});

test.describe('a browser that blocks storage', () => {
  const blockStorage = () => {
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('', 'SecurityError');
      },
    });
  };

  test('works as long as the page is open', async ({ page, server }) => {
    await page.addInitScript(blockStorage);
    const share = await send(page, server.url, [SMALL]);
    await openPage(page, share);
    expect(await sha256Of(await downloadFile(page, SMALL.name))).toBe(sha256(SMALL.buffer));
  });

  test('shows an error before it uploads or counts anything if cookies are blocked as well', async ({
    page,
    server,
  }) => {
    await page.addInitScript(blockStorage);
    await page.addInitScript(() => Object.defineProperty(navigator, 'cookieEnabled', { get: () => false }));
    await page.goto(`${server.url}/en`);
    await expect(page.getByRole('heading', { name: 'Furoshiki couldn’t start' })).toBeVisible();
    await expect(page.getByText('Clear this site’s cache and cookies.')).toBeVisible();
  });
});

test('the key is in no request, storage or log, and a file is saved under the name that is shown', {
  tag: '@backends',
}, async ({ page, server }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    const isPart = request.method() === 'PUT';
    sent.push(request.url(), JSON.stringify(request.headers()), isPart ? '' : (request.postData() ?? ''));
  });
  // A character that reverses the letters after it is replaced.
  const share = await send(page, server.url, [{ ...SMALL, name: 'photo\u202Egpj.exe' }]);
  await openPage(page, share);
  const download = await downloadFile(page, 'photo_gpj.exe');
  expect(download.suggestedFilename()).toBe('photo_gpj.exe');
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  const base64Url = share.key.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  const hex = Buffer.from(share.key, 'base64').toString('hex');
  for (const encoding of [share.key, base64Url, encodeURIComponent(share.key), hex]) {
    expect(sent.join('\n')).not.toContain(encoding);
    expect(stored).not.toContain(encoding);
    expect(server.log).not.toContain(encoding);
  }
  expect(sent.length).toBeGreaterThan(20);
});
