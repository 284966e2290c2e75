import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchFile, openPage, pageFiles, send, sha256, sha256Of } from './support/people.ts';
import { expect, test } from './support/test.ts';

const INDEPENDENT_CLIENT = fileURLToPath(new URL('independent-client/open-page.mjs', import.meta.url));
const SMALL = { name: 'サンプル "a".txt', mimeType: 'text/plain', buffer: randomBytes(300 * 1024) };

/** Three parts: larger than what a test may hand to the browser in memory. */
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

test('two files go all the way to another browser, and to a client that knows only the documents', {
  tag: '@engines',
}, async ({ page, browser, server }) => {
  await withBigFile(async (path, bytes) => {
    const folder = join(path, '..');
    const smallPath = join(folder, SMALL.name);
    await writeFile(smallPath, SMALL.buffer);
    const handover = await send(page, server.url, [path, smallPath]);
    expect(handover.key).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
    expect(handover.link).not.toContain(handover.key);

    const recipient = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await openPage(recipient, handover);
    expect(await sha256Of(await fetchFile(recipient, 'three parts.bin'))).toBe(sha256(bytes));
    await expect(recipient.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect(await sha256Of(await fetchFile(recipient, SMALL.name))).toBe(sha256(SMALL.buffer));
    await recipient.context().close();

    const out = await mkdtemp(join(folder, 'independent-client-'));
    const { stdout } = await promisify(execFile)(process.execPath, [
      INDEPENDENT_CLIENT,
      handover.link,
      handover.key,
      out,
    ]);
    expect(JSON.parse(stdout)).toEqual([
      { fileName: 'three parts.bin', sha256: sha256(bytes), bytes: bytes.length },
      { fileName: SMALL.name, sha256: sha256(SMALL.buffer), bytes: SMALL.buffer.length },
    ]);
    expect(sha256(await readFile(join(out, '0')))).toBe(sha256(bytes));
    expect((await pageFiles(server.url, handover.link)).map((file) => file.currentDownloads)).toEqual([2, 2]);
  });
});

test.describe('a browser that keeps nothing', () => {
  const blockStorage = () => {
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('', 'SecurityError');
      },
    });
  };

  test('works for as long as the page stands', async ({ page, server }) => {
    await page.addInitScript(blockStorage);
    const handover = await send(page, server.url, [SMALL]);
    await openPage(page, handover);
    expect(await sha256Of(await fetchFile(page, SMALL.name))).toBe(sha256(SMALL.buffer));
  });

  test('not even a cookie is told so, before anything is counted', async ({ page, server }) => {
    await page.addInitScript(blockStorage);
    await page.addInitScript(() => Object.defineProperty(navigator, 'cookieEnabled', { get: () => false }));
    await page.goto(`${server.url}/en`);
    await expect(page.getByRole('heading', { name: 'We could not get ready' })).toBeVisible();
    await expect(page.getByText('Clear the cache and cookies of this site.')).toBeVisible();
  });
});

test('the key is nowhere on the wire, in storage or in the log, and a name is saved as it is shown', {
  tag: '@engines',
}, async ({ page, server }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    const isPart = request.method() === 'PUT';
    sent.push(request.url(), JSON.stringify(request.headers()), isPart ? '' : (request.postData() ?? ''));
  });
  // A character that reverses the letters after it is replaced.
  const handover = await send(page, server.url, [{ ...SMALL, name: 'photo\u202Egpj.exe' }]);
  await openPage(page, handover);
  const download = await fetchFile(page, 'photo_gpj.exe');
  expect(download.suggestedFilename()).toBe('photo_gpj.exe');
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  const base64Url = handover.key.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  const hex = Buffer.from(handover.key, 'base64').toString('hex');
  for (const form of [handover.key, base64Url, encodeURIComponent(handover.key), hex]) {
    expect(sent.join('\n')).not.toContain(form);
    expect(kept).not.toContain(form);
    expect(server.log).not.toContain(form);
  }
  expect(sent.length).toBeGreaterThan(20);
});
