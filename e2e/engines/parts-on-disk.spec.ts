// Parts that wait to be sent are spooled on the sender's disk if the browser has room, and removed afterwards.
import { randomBytes } from 'node:crypto';
import { holdBytes } from '../support/held-requests.ts';
import { chooseFiles, downloadFile, openPage, readShare, send, sha256, sha256Of } from '../support/user-actions.ts';
import { sizesOnDisk } from '../support/staged-files.ts';
import { expect, test } from '../support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
const ONE_PART = { name: 'one part.bin', mimeType: '', buffer: randomBytes(1024 * 1024) };

test('parts wait on disk, encrypted, and are removed when they are sent', async ({ page, server }) => {
  const held = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => held.count()).toBe(2);
  const sealed = (bytes: number) => bytes + 28;
  // On a slow machine the requests may already have timed out. The parts are then written again.
  await expect.poll(() => sizesOnDisk(page)).toEqual([sealed(1024 * 1024), sealed(25 * 1024 * 1024)]);
  await held.release();
  const share = await readShare(page);
  await expect.poll(() => sizesOnDisk(page)).toEqual([]);
  await openPage(page, share);
  expect(await sha256Of(await downloadFile(page, FILE.name))).toBe(sha256(FILE.buffer));
});

test('parts that a closed tab left on disk are removed at the next visit', async ({ page, server, context }) => {
  const held = await holdBytes(page, server);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect.poll(() => held.count()).toBe(2);
  const other = await context.newPage();
  await other.goto(`${server.url}/en/faq`);
  await expect.poll(() => sizesOnDisk(other)).toHaveLength(2);
  await page.close();
  // The browser releases the locks of a closed tab after a while. A visit before that removes nothing.
  await expect(async () => {
    await other.reload();
    await expect.poll(() => sizesOnDisk(other), { timeout: 10_000 }).toEqual([]);
  }).toPass();
});

/** A private window of Firefox behaves like this. */
const withoutDisk = () => {
  navigator.storage.getDirectory = () => Promise.reject(new DOMException('', 'SecurityError'));
};

/** An open writer locks each file, so the disk is there but accepts nothing. */
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
  ['it accepts nothing', withLockedDisk],
] as const) {
  test(`an upload works without a disk if ${what}`, async ({ page, browser, server }) => {
    await page.addInitScript(script);
    const share = await send(page, server.url, [ONE_PART]);
    const recipient = await browser.newPage();
    await openPage(recipient, share);
    expect(await sha256Of(await downloadFile(recipient, ONE_PART.name))).toBe(sha256(ONE_PART.buffer));
    await recipient.close();
  });
}
