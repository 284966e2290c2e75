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

test('a wrong key is refused before any download is spent', async ({ page, server }) => {
  const handover = await send(page, server.url, [SMALL]);
  const wrong = randomBytes(32).toString('base64');
  const key = page.getByRole('textbox', { name: 'Key' });
  await page.goto(handover.link);
  for (const [typed, message] of [
    [wrong, 'The key is incorrect or incompatible with these files.'],
    [handover.key.slice(0, 42), 'The key must be 32 bytes long, and this one is 31. Was it copied completely?'],
    [`${handover.key.slice(0, 40)}!!!=`, 'The key contains invalid characters.'],
  ] as const) {
    await key.fill(typed);
    await expect(page.getByText(message)).toBeVisible();
    await expect(page.getByText('What may help')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Download / })).toBeDisabled();
  }
  expect((await pageFiles(server.url, handover.link))[0]?.currentDownloads).toBe(0);
  await key.fill(`  ${handover.key.slice(0, 20)}\n${handover.key.slice(20)} `);
  await expect(page.getByText('The key fits.')).toBeVisible();
});

test('who types a key letter by letter is told that it is too short when they leave it, not before', async ({
  page,
  server,
}) => {
  const handover = await send(page, server.url, [SMALL]);
  await page.goto(handover.link);
  const key = page.getByRole('textbox', { name: 'Key' });
  const tooShort = page.getByText('The key must be 32 bytes long');
  await key.pressSequentially(handover.key.slice(0, 12));
  await expect(key).toHaveValue(handover.key.slice(0, 12));
  await expect(tooShort).toBeHidden();
  await key.blur();
  await expect(tooShort).toBeVisible();
  await key.press('End');
  await key.pressSequentially(handover.key.slice(12));
  await expect(page.getByText('The key fits.')).toBeVisible();
});

test('a sender is told when all is gone, and what became of a deletion', async ({ page, server }) => {
  const NOTE = { ...SMALL, name: 'second.txt' };
  await send(page, server.url, [SMALL, NOTE]);
  await page.getByRole('link', { name: 'Back to the start' }).click();
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText(`${name} was deleted.`)).toBeVisible();
  };
  await remove(SMALL.name);
  await remove(NOTE.name);
  const all = page.getByText('Downloaded as often as allowed, or deleted');
  await expect(all).toBeVisible();
  await expect(page.getByText('Your files are ready to be handed over.')).toBeHidden();
  await page.goBack();
  await expect(all).toBeVisible();
  await expect(page.getByText('Your files are ready to be handed over.')).toBeHidden();
});

test('a name that turns its letters round is shown as it is saved', async ({ page, server }) => {
  const handover = await send(page, server.url, [{ ...SMALL, name: 'photo\u202Egpj.exe' }]);
  await openPage(page, handover);
  await expect(page.getByRole('listitem').filter({ hasText: 'photo_gpj.exe' })).toBeVisible();
  const download = await fetchFile(page, 'photo_gpj.exe');
  expect(download.suggestedFilename()).toBe('photo_gpj.exe');
  expect(await page.getByRole('main').innerText()).not.toContain('\u202E');
});

test('a file that is dropped where nothing takes it does not replace the page', async ({ page, server }) => {
  const handover = await send(page, server.url, [SMALL]);
  const isKept = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    return ['dragover', 'drop'].map(
      (type) => !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
    );
  });
  expect(isKept).toEqual([true, true]);
  await expect(page.getByText(handover.key)).toBeVisible();
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

test('a limit of 1 deletes the file after the one confirmed download', { tag: '@engines' }, async ({
  page,
  browser,
  server,
}) => {
  const handover = await send(page, server.url, [SMALL], 1);
  await openPage(page, handover);
  expect(await sha256Of(await fetchFile(page, SMALL.name))).toBe(sha256(SMALL.buffer));
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  // "Saved" is shown before the server has been told.
  await expect.poll(() => pageFiles(server.url, handover.link)).toEqual([]);
  // Whoever has it is told of nothing that is no longer so.
  await expect(page.getByText('0 downloads left')).toBeVisible();
  await expect(page.getByText('Deleted automatically')).toBeHidden();
  const late = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await late.goto(handover.link);
  await expect(late.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  await late.context().close();
});

test('a file at its limit says so on its button, to who sees it and to who hears it', async ({ page, server }) => {
  const handover = await send(page, server.url, [SMALL], 1);
  const [file] = await pageFiles(server.url, handover.link);
  // Somebody else's grant: it is theirs until they confirm, or it runs out.
  const other = await fetch(`${server.url}/api/download/${file?.id}`, { headers: { accept: 'application/json' } });
  expect(other.status).toBe(200);
  await openPage(page, handover);
  await expect(page.getByRole('button', { name: 'Download limit reached', exact: true })).toBeDisabled();
});

test('the key is nowhere on the wire, in storage or in the log', { tag: '@engines' }, async ({ page, server }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    const isPart = request.method() === 'PUT';
    sent.push(request.url(), JSON.stringify(request.headers()), isPart ? '' : (request.postData() ?? ''));
  });
  const handover = await send(page, server.url, [SMALL]);
  await openPage(page, handover);
  await fetchFile(page, SMALL.name);
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
