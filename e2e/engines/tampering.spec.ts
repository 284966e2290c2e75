// Stored files and pages that were changed without the key.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages } from '@furoshiki/texts/messages';
import { CHANGES, type ServedPage } from '../../packages/format/testing/dishonest-server.ts';
import { type Share, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const MB = 1024 * 1024;
const SEALED = 25 * MB + 28;
const CORRUPT = 'Decryption failed: the key is wrong or the data is corrupted. Nothing was saved.';

interface TamperedStorage {
  /** The stored file, as the server serves it. */
  path: string;
  sealed: Buffer;
  plain: Buffer;
  share: Share;
}

/** A server with one stored file of two chunks, which the test changes on disk. */
const tampered = test.extend<object, { storage: TamperedStorage }>({
  storage: [
    async ({ browser }, use) => {
      const server = await ServerProcess.start();
      const folder = await mkdtemp(join(tmpdir(), 'furoshiki-tampering-'));
      const plain = randomBytes(26 * MB);
      await writeFile(join(folder, 'file.bin'), plain);
      const page = await browser.newPage({ locale: 'en-US' });
      const share = await send(page, server.url, [join(folder, 'file.bin')], 10);
      await page.close();
      const objects = join(server.dataDir, 'objects');
      const name = (await readdir(objects, { recursive: true })).find((entry) => entry.endsWith('data')) ?? '';
      const path = join(objects, name);
      await use({ path, plain, sealed: await readFile(path), share });
      await rm(folder, { recursive: true });
      await server.discard();
    },
    { scope: 'worker' },
  ],
});

function withBitChanged(sealed: Buffer, at: number): Buffer {
  const changed = Buffer.from(sealed);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

// Chunks that are swapped, repeated or dropped are tested without a browser, in packages/transfer.
for (const [what, change] of [
  ['one bit is changed', (sealed: Buffer) => withBitChanged(sealed, SEALED + 1000)],
  ['the last chunk is dropped', (sealed: Buffer) => sealed.subarray(0, SEALED)],
  ['the last byte is cut off', (sealed: Buffer) => sealed.subarray(0, -1)],
] as const) {
  tampered(`no file is presented as complete when ${what}`, async ({ page, storage }) => {
    await writeFile(storage.path, change(storage.sealed));
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    await openPage(page, storage.share);
    await page.getByRole('button', { name: /^Download / }).click();
    await expect(page.getByRole('alert')).toHaveText(CORRUPT);
    await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
    expect(downloads).toBe(0);

    // The same grant downloads the file when the storage is restored.
    await writeFile(storage.path, storage.sealed);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await sha256Of(await downloading)).toBe(sha256(storage.plain));
  });
}

// The whole table runs without a browser: see docs/TESTING.md.
const IN_BROWSER = new Set([
  'nothing encrypted',
  'format 1',
  'a file of another upload added before the others',
  'another name',
]);

test('a page that was changed is refused, with the key in the link and with a key that is typed', async ({
  page,
  server,
}) => {
  const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(name),
  }));
  const sent = await send(page, server.url, files);
  const other = await send(page, server.url, files);
  const served = async ({ link }: Share) => {
    const response = await fetch(`${server.url}/api/download/page/${link.split('/').at(-1)}`);
    return (await response.json()) as ServedPage;
  };
  const [own, others] = [await served(sent), await served(other)];
  for (const { what, page: change, outcome } of CHANGES.filter((row) => IN_BROWSER.has(row.what))) {
    const json = change?.(own, others);
    await page.route('**/api/download/page/*', (route) => route.fulfill({ json }));
    const words = messages.en.tampering['before' in outcome ? outcome.before : 'title'];
    let grants = 0;
    await page.route(/\/api\/(batch|download\/[\w-]{22})$/u, (route) => {
      grants += 1;
      return route.abort();
    });
    for (const isTyped of what === 'nothing encrypted' ? [true, false] : [false]) {
      // Another document: a fragment alone does not load the page again.
      await page.goto('about:blank');
      await page.goto(isTyped ? sent.link : `${sent.link}#key=${encodeURIComponent(sent.key)}`);
      if (isTyped) await page.getByRole('textbox', { name: 'Key', exact: true }).fill(sent.key);
      await expect(page.getByText(words), what).toBeVisible();
      await expect(page.getByRole('button', { name: 'Download all', exact: true })).toBeDisabled();
    }
    expect(grants).toBe(0);
    await page.unrouteAll();
  }
});
