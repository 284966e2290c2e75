// Large uploads through a proxy that cuts and stalls connections, and counts parts.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { IS_LONG } from '../support/long.ts';
import { expect } from '../support/test.ts';
import { retryIfGone } from '../support/probes.ts';
import type { WebDriver } from '../support/web-driver.ts';
import { makeFile, MB, readShare, type Rig, startUpload, test } from '../support/transfer-rig.ts';

const PART = 25 * MB;
const LANES = 5;
const INDEPENDENT_CLIENT = fileURLToPath(new URL('../independent-client/open-page.mjs', import.meta.url));

test.skip(findProgram('chromedriver') === undefined, 'chromedriver is not installed');

const untilPercent = (driver: WebDriver, percent: number) =>
  driver.until((wanted) => {
    const shown = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow');
    return Number(shown ?? 0) >= wanted;
  }, percent);

/** Waits until the upload is complete and returns the hash of what the independent client decrypts. */
async function hashOfStoredFile(rig: Rig): Promise<string> {
  const { link, key } = await readShare(rig);
  rig.proxy.cutEveryBytes = Number.POSITIVE_INFINITY;
  const { stdout } = await promisify(execFile)(process.execPath, [
    INDEPENDENT_CLIENT,
    link,
    key,
    join(rig.folder, 'out'),
  ]);
  return (JSON.parse(stdout) as { sha256: string }[])[0]?.sha256 ?? '';
}

test('a large file arrives unchanged despite a cut every 100 MB, and only interrupted parts are sent again', {
  tag: '@long',
}, async ({ rig }) => {
  const bytes = (IS_LONG ? 1024 : 300) * MB;
  const { proxy, driver, folder } = rig;
  const { path, sha256 } = await makeFile(folder, bytes);
  proxy.cutEveryBytes = 100 * MB;
  await startUpload(rig, proxy.url, path);
  await untilPercent(driver, 1);
  const [startMs, startSeconds] = [performance.now(), await driver.mainThreadSeconds()];
  await untilPercent(driver, 90);
  const share = ((await driver.mainThreadSeconds()) - startSeconds) / ((performance.now() - startMs) / 1000);
  // The main thread only draws. It would be busy all the time if it handled the bytes.
  expect(share).toBeLessThan(0.3);
  expect(await hashOfStoredFile(rig)).toBe(sha256);
  expect(proxy.cuts).toBeGreaterThanOrEqual(Math.floor(bytes / (100 * MB)));
  expect(proxy.parts).toBeLessThanOrEqual(Math.ceil(bytes / PART) + proxy.cutParts);
});

test('an upload continues after a reload', async ({ rig }) => {
  const { proxy, driver, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 6 * PART);
  await startUpload(rig, proxy.url, path);
  await untilPercent(driver, 50);
  await driver.reload();
  await driver.untilText('You have an unfinished upload');
  await driver.giveFiles('input[type=file]', [path]);
  expect(await hashOfStoredFile(rig)).toBe(sha256);
  expect(proxy.parts).toBeLessThanOrEqual(6 + LANES);
});

// The watchdog waits for a minute of real time. `npm test` proves it on a virtual clock: transfer/resilience/watchdog.test.ts.
test('a stalled connection causes only one part to be sent again', { tag: ['@long', '@only-long'] }, async ({
  rig,
}) => {
  const { proxy, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 2 * PART + MB);
  proxy.stallNextPart = true;
  await startUpload(rig, proxy.url, path);
  expect(await hashOfStoredFile(rig)).toBe(sha256);
  expect(proxy.parts).toBe(3 + 1);
});

test('a page that cannot be resumed cancels its upload when it closes', async ({ rig }) => {
  const { proxy, driver, folder, backend } = rig;
  const { path } = await makeFile(folder, 30 * MB);
  const uploads = async () => {
    const names = await retryIfGone(() => readdir(join(backend.dataDir, 'objects'), { recursive: true }));
    return names.filter((name) => name.endsWith('/parts'));
  };
  await driver.goto(`${proxy.url}/en`);
  await driver.untilText('Choose files');
  await driver.run(() => {
    IDBDatabase.prototype.transaction = () => {
      throw new DOMException('no space for records', 'QuotaExceededError');
    };
  });
  await driver.giveFiles('input[type=file]', [path]);
  // The upload stalls first, because Chromium sometimes closes a busy page without an unload event. The sweeper cleans
  // up after those.
  proxy.stallNextPart = true;
  await driver.click('Start upload');
  await untilPercent(driver, 10);
  expect(await uploads()).toHaveLength(1);
  await driver.goto('about:blank');
  await expect.poll(uploads).toEqual([]);
});
