// Parts that wait to be sent lie on the sender's disk where the browser has room for them, and no longer than that.
import { randomBytes } from 'node:crypto';
import { holdBytes } from './support/holding.ts';
import { chooseFiles, fetchFile, openPage, readHandover, send, sha256, sha256Of } from './support/people.ts';
import { sizesOnDisk } from './support/staged-files.ts';
import { expect, test } from './support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(30 * 1024 * 1024) };

test('parts wait on disk, sealed, and go when they are sent', async ({ page, server }) => {
  const held = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => held.count()).toBe(2);
  const sealed = (bytes: number) => bytes + 28;
  expect(await sizesOnDisk(page)).toEqual([sealed(5 * 1024 * 1024), sealed(25 * 1024 * 1024)]);
  await held.release();
  const handover = await readHandover(page);
  await expect.poll(() => sizesOnDisk(page)).toEqual([]);
  await openPage(page, handover);
  expect(await sha256Of(await fetchFile(page, FILE.name))).toBe(sha256(FILE.buffer));
});

test('what a tab that was closed has left on disk goes at the next visit', async ({ page, server, context }) => {
  const held = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => held.count()).toBe(2);
  const other = await context.newPage();
  await other.goto(`${server.url}/en/faq`);
  expect(await sizesOnDisk(other)).toHaveLength(2);
  await page.close();
  // The locks of a tab that is closed are let go in the browser's own time: a visit that comes too early leaves it all.
  await expect(async () => {
    await other.reload();
    await expect.poll(() => sizesOnDisk(other), { timeout: 1000 }).toEqual([]);
  }).toPass();
});

/** As a private window of Firefox does. */
const withoutDisk = () => {
  navigator.storage.getDirectory = () => Promise.reject(new DOMException('', 'SecurityError'));
};

/** Whoever writes to a file keeps our workers from it: so it is there, and takes nothing. */
const withLockedDisk = () => {
  const { getFileHandle } = FileSystemDirectoryHandle.prototype;
  FileSystemDirectoryHandle.prototype.getFileHandle = async function open(...given) {
    const handle = await getFileHandle.apply(this, given);
    await handle.createWritable();
    return handle;
  };
};

for (const [what, script] of [
  ['there is none', withoutDisk],
  ['it takes nothing', withLockedDisk],
] as const) {
  test(`an upload does without a disk where ${what}`, async ({ page, browser, server }) => {
    await page.addInitScript(script);
    const handover = await send(page, server.url, [FILE]);
    const recipient = await browser.newPage();
    await openPage(recipient, handover);
    expect(await sha256Of(await fetchFile(recipient, FILE.name))).toBe(sha256(FILE.buffer));
    await recipient.close();
  });
}
