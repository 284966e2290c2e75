import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../scripts/ensure-debian-packages.mjs';
import { expect } from './support/test.ts';
import { lookAgain } from './support/watching.ts';
import type { WebDriver } from './support/web-driver.ts';
import { makeFile, MB, readHandover, type Rig, startUpload, test } from './support/wire-rig.ts';

const PART = 25 * MB;
const LANES = 5;
const INDEPENDENT_CLIENT = fileURLToPath(new URL('independent-client/open-page.mjs', import.meta.url));

test.skip(findProgram('chromedriver') === undefined, 'chromedriver is not installed');

const untilPercent = (driver: WebDriver, percent: number) =>
  driver.until((wanted) => {
    const shown = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow');
    return Number(shown ?? 0) >= wanted;
  }, percent);

/** Waits for the hand-over and returns the hash of what the independent client decrypts. */
async function fetchBack(rig: Rig): Promise<string> {
  const { link, key } = await readHandover(rig);
  rig.wire.cutEveryBytes = Number.POSITIVE_INFINITY;
  const { stdout } = await promisify(execFile)(process.execPath, [
    INDEPENDENT_CLIENT,
    link,
    key,
    join(rig.folder, 'out'),
  ]);
  return (JSON.parse(stdout) as { sha256: string }[])[0]?.sha256 ?? '';
}

test('a gigabyte survives a cut at every 100 MB, and only what was under way is sent again', async ({ rig }) => {
  const { wire, driver, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 1024 * MB);
  wire.cutEveryBytes = 100 * MB;
  await startUpload(rig, wire.url, path);
  await untilPercent(driver, 1);
  const [startMs, startSeconds] = [performance.now(), await driver.mainThreadSeconds()];
  await untilPercent(driver, 90);
  const share = ((await driver.mainThreadSeconds()) - startSeconds) / ((performance.now() - startMs) / 1000);
  // What it does is to draw. With the bytes on it, it would do little else.
  expect(share).toBeLessThan(0.3);
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.cuts).toBeGreaterThan(9);
  expect(wire.parts).toBeLessThanOrEqual(Math.ceil((1024 * MB) / PART) + wire.cutParts);
});

test('a reload in the middle goes on where it was', async ({ rig }) => {
  const { wire, driver, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 500 * MB);
  await startUpload(rig, wire.url, path);
  await untilPercent(driver, 50);
  await driver.reload();
  await driver.untilText('An upload was interrupted');
  await driver.giveFiles('input[type=file]', [path]);
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.parts).toBeLessThanOrEqual(20 + LANES);
});

test('a server that is killed and comes back goes on', async ({ rig }) => {
  const { wire, driver, folder, backend } = rig;
  const { path, sha256 } = await makeFile(folder, 300 * MB);
  await startUpload(rig, wire.url, path);
  await untilPercent(driver, 30);
  await backend.down('SIGKILL');
  await driver.untilText('Waiting for a connection to the server');
  await backend.up();
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.parts).toBeLessThanOrEqual(12 + LANES);
});

test('a connection that goes silent costs one part', async ({ rig }) => {
  const { wire, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 100 * MB);
  wire.stallNextPart = true;
  await startUpload(rig, wire.url, path);
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.parts).toBe(5);
});

test('a page that could not be resumed takes its upload off the server as it closes', async ({ rig }) => {
  const { wire, driver, folder, backend } = rig;
  const { path } = await makeFile(folder, 30 * MB);
  const uploads = async () => {
    const names = await lookAgain(() => readdir(join(backend.dataDir, 'objects'), { recursive: true }));
    return names.filter((name) => name.endsWith('/parts'));
  };
  await driver.goto(`${wire.url}/en`);
  await driver.untilText('Choose files');
  await driver.run(() => {
    IDBDatabase.prototype.transaction = () => {
      throw new DOMException('no room for records', 'QuotaExceededError');
    };
  });
  await driver.giveFiles('input[type=file]', [path]);
  // Half-way, and at rest: of a busy page Chromium sometimes makes an end without telling it. The sweeper is for those.
  wire.stallNextPart = true;
  await driver.click('Start upload');
  await untilPercent(driver, 10);
  expect(await uploads()).toHaveLength(1);
  await driver.goto('about:blank');
  await expect.poll(uploads).toEqual([]);
});
