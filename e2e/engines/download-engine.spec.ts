// A large download through a proxy that cuts connections.
import { execFile } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { IS_LONG } from '../support/long.ts';
import { pageFiles } from '../support/user-actions.ts';
import { expect } from '../support/test.ts';
import { makeFile, MB, readShare, startUpload, test } from '../support/transfer-rig.ts';

test.skip(findProgram('chromedriver') === undefined, 'chromedriver is not installed');

/** More than the five chunks that are fetched at a time, so that some arrive between two cuts. */
const CUT_BYTES = 130 * MB;

test('a large file arrives unchanged despite a cut every 130 MB, and counts as one download', {
  tag: '@long',
}, async ({ rig }) => {
  const { proxy, backend, driver, folder, downloads } = rig;
  const bytes = (IS_LONG ? 2048 : 150) * MB;
  const { path, sha256 } = await makeFile(folder, bytes);
  await startUpload(rig, backend.url, path);
  const { link, key } = await readShare(rig);
  await rm(path);

  proxy.cutEveryBytes = CUT_BYTES;
  await driver.goto(`${link.replace(backend.url, proxy.url)}#key=${encodeURIComponent(key)}`);
  await driver.untilText('The key fits.');
  await driver.click('Download large.bin');
  await driver.untilText('Saved');
  const saved = join(downloads, 'large.bin');
  await expect
    .poll(async () => (await readdir(downloads)).includes('large.bin') && (await stat(saved)).size)
    .toBe(bytes);
  const { stdout } = await promisify(execFile)('sha256sum', [saved]);
  expect(stdout.slice(0, 64)).toBe(sha256);
  expect(proxy.cuts).toBeGreaterThanOrEqual(Math.floor(bytes / CUT_BYTES));
  await expect.poll(async () => (await pageFiles(backend.url, link))[0]?.currentDownloads).toBe(1);
});
