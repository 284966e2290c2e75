import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HandedOver, openPage, send, sha256, sha256Of } from './support/people.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const MB = 1024 * 1024;
const SEALED = 25 * MB + 28;
const CORRUPT = 'Decryption failed: the key is wrong or the data is corrupt. Nothing was saved.';

interface LyingStorage {
  /** The stored file: what is written there is what the server serves. */
  path: string;
  sealed: Buffer;
  plain: Buffer;
  handover: HandedOver;
}

/** A server whose storage can lie about a file of three chunks, two of equal length and a shorter one. */
const liar = test.extend<object, { storage: LyingStorage }>({
  storage: [
    async ({ browser }, use) => {
      const server = await ServerProcess.start();
      const folder = await mkdtemp(join(tmpdir(), 'furoshiki-liar-'));
      const plain = randomBytes(61 * MB);
      await writeFile(join(folder, 'file.bin'), plain);
      const page = await browser.newPage({ locale: 'en-US' });
      const handover = await send(page, server.url, [join(folder, 'file.bin')], 10);
      await page.close();
      const objects = join(server.dataDir, 'objects');
      const name = (await readdir(objects, { recursive: true })).find((entry) => entry.endsWith('data')) ?? '';
      const path = join(objects, name);
      await use({ path, plain, sealed: await readFile(path), handover });
      await rm(folder, { recursive: true });
      await server.discard();
    },
    { scope: 'worker' },
  ],
});

const chunks = (sealed: Buffer, ...indexes: number[]) =>
  Buffer.concat(indexes.map((index) => sealed.subarray(index * SEALED, (index + 1) * SEALED)));

function withBitChanged(sealed: Buffer, at: number): Buffer {
  const bent = Buffer.from(sealed);
  bent[at] = (bent[at] ?? 0) ^ 1;
  return bent;
}

for (const [what, bend] of [
  ['two chunks are swapped', (sealed: Buffer) => chunks(sealed, 1, 0, 2)],
  ['a chunk is repeated over another', (sealed: Buffer) => chunks(sealed, 0, 0, 2)],
  ['one bit is changed', (sealed: Buffer) => withBitChanged(sealed, SEALED + 1000)],
  ['a chunk in the middle is dropped', (sealed: Buffer) => chunks(sealed, 0, 2)],
  ['the last chunk is dropped', (sealed: Buffer) => chunks(sealed, 0, 1)],
  ['the last byte is cut off', (sealed: Buffer) => sealed.subarray(0, -1)],
] as const) {
  liar(`no file is presented as complete when ${what}`, async ({ page, storage }) => {
    await writeFile(storage.path, bend(storage.sealed));
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    await openPage(page, storage.handover);
    await page.getByRole('button', { name: /^Download / }).click();
    await expect(page.getByRole('alert')).toHaveText(CORRUPT);
    await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
    expect(downloads).toBe(0);

    // Nothing is wrong with the file: it arrives, on the same grant, as soon as the storage tells the truth.
    await writeFile(storage.path, storage.sealed);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await sha256Of(await downloading)).toBe(sha256(storage.plain));
  });
}
