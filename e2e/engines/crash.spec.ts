// The server is killed in the middle of an upload.
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdBytes } from '../support/held-requests.ts';
import {
  chooseFiles,
  downloadFile,
  openPage,
  readShare,
  sha256,
  sha256Of,
  waitForPreloadedScreens,
} from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

test('an upload continues after the server is killed and restarted', async ({ page }) => {
  const server = await ServerProcess.start();
  const path = join(tmpdir(), `furoshiki-crash-${process.pid}.bin`);
  const bytes = randomBytes(55 * 1024 * 1024);
  await writeFile(path, bytes);
  try {
    const acknowledged: number[] = [];
    page.on('response', (response) => {
      const part = /\/store\/[^/]+\/(\d+)/u.exec(response.url())?.[1];
      if (response.ok() && part !== undefined) acknowledged.push(Number(part));
    });
    // The last part waits for the crash. Otherwise a fast upload could be complete before the server is killed.
    const lastPart = await holdBytes(page, { bytes: /\/store\/[^/]+\/3\b/u });
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [path]);
    await page.getByRole('button', { name: 'Start upload' }).click();
    await waitForPreloadedScreens(page);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(0);
    await server.down('SIGKILL');
    const before = [...acknowledged];
    expect(before.length).toBeLessThan(3);
    await lastPart.release();
    await expect(page.getByText('Waiting for the server')).toBeVisible();
    await server.up();

    const share = await readShare(page);
    // Parts that were acknowledged before the crash are stored, and not sent again.
    expect(acknowledged.slice(before.length).filter((part) => before.includes(part))).toEqual([]);
    await openPage(page, share);
    expect(await sha256Of(await downloadFile(page, path.split('/').at(-1) ?? ''))).toBe(sha256(bytes));
  } finally {
    await rm(path);
    await server.discard();
  }
});
