import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFile, type HandedOver, openPage, send, sha256, sha256Of } from './support/people.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const MB = 1024 * 1024;
const SEALED = 25 * MB + 28;
const CORRUPT = 'Decryption failed: the key is wrong or the data is corrupt. Nothing was saved.';
const UNREADABLE = /^(Decryption failed|The network failed|The download failed)/u;

/** One server whose storage lies, and one file of three chunks in it: two of equal length and a shorter one. */
const liar = test.extend<
  object,
  { lying: { server: ServerProcess; data: string; whole: Buffer; handover: HandedOver } }
>({
  lying: [
    async ({ browser }, use) => {
      const server = await ServerProcess.start();
      const path = join(tmpdir(), `furoshiki-whole-${process.pid}.bin`);
      await writeFile(path, randomBytes(61 * MB));
      const page = await browser.newPage({ locale: 'en-US' });
      const handover = await send(page, server.url, [path], 10);
      await page.close();
      const objects = join(server.dataDir, 'objects');
      const [folder = ''] = await readdir(objects);
      const [key = ''] = await readdir(join(objects, folder));
      const data = join(objects, folder, key, 'data');
      await use({ server, data, whole: await readFile(data), handover });
      await rm(path);
      await server.discard();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const chunk = (whole: Buffer, index: number) => whole.subarray(index * SEALED, (index + 1) * SEALED);
const flip = (whole: Buffer, at: number) => {
  const bent = Buffer.from(whole);
  bent[at] = (bent[at] ?? 0) ^ 1;
  return bent;
};

for (const [what, bend, message] of [
  ['two chunks are swapped', (w: Buffer) => Buffer.concat([chunk(w, 1), chunk(w, 0), chunk(w, 2)]), CORRUPT],
  ['a chunk is repeated over another', (w: Buffer) => Buffer.concat([chunk(w, 0), chunk(w, 0), chunk(w, 2)]), CORRUPT],
  ['one bit is changed', (w: Buffer) => flip(w, SEALED + 1000), CORRUPT],
  ['a chunk in the middle is dropped', (w: Buffer) => Buffer.concat([chunk(w, 0), chunk(w, 2)]), UNREADABLE],
  ['the last chunk is dropped', (w: Buffer) => w.subarray(0, 2 * SEALED), UNREADABLE],
] as const) {
  liar(`no file is presented as complete when ${what}`, async ({ page, lying }) => {
    await writeFile(lying.data, bend(lying.whole));
    await expectNoFile(page, lying.handover, message);
  });
}

liar('no file is presented as complete when the end is cut off', async ({ page, lying }) => {
  await writeFile(lying.data, lying.whole);
  await truncate(lying.data, lying.whole.length - 1);
  await expectNoFile(page, lying.handover, UNREADABLE);
});

liar('the same file arrives when the storage tells the truth again', async ({ page, lying }) => {
  await writeFile(lying.data, lying.whole);
  await openPage(page, lying.handover);
  const name = await page.getByRole('listitem').first().innerText();
  const download = await fetchFile(page, name.split('\n')[0] ?? '');
  expect(await sha256Of(download)).not.toBe(sha256(lying.whole));
  expect((await readFile(await download.path())).length).toBe(61 * MB);
});

async function expectNoFile(page: import('@playwright/test').Page, handover: HandedOver, message: string | RegExp) {
  let downloads = 0;
  page.on('download', () => (downloads += 1));
  await openPage(page, handover);
  await page.getByRole('button', { name: /^Download / }).click();
  await expect(page.getByRole('alert')).toHaveText(message, { timeout: 60_000 });
  await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
  expect(downloads).toBe(0);
}
