import { execFile } from 'node:child_process';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../scripts/ensure-debian-packages.mjs';
import { ServerProcess } from './support/server-process.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { expect, test as base } from './support/test.ts';
import { WebDriver } from './support/web-driver.ts';

const MB = 1024 * 1024;
const PART = 25 * MB;
const LANES = 3;
const STRANGER = fileURLToPath(new URL('stranger/open-page.mjs', import.meta.url));

interface Rig {
  folder: string;
  backend: ServerProcess;
  wire: TcpProxy;
  driver: WebDriver;
}

/** A browser that reaches its server over a wire of the test's own. */
const test = base.extend<{ rig: Rig }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
  rig: async ({}, provide) => {
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-engine-'));
    const backend = await ServerProcess.start();
    const wire = await TcpProxy.start(backend.port);
    const driver = await WebDriver.start();
    await provide({ folder, backend, wire, driver });
    await driver.discard();
    await wire.discard();
    await backend.discard();
    await rm(folder, { recursive: true });
  },
});
test.setTimeout(300_000);
test.skip(findProgram('chromedriver') === undefined, 'chromedriver is not installed');

/** A file of random bytes that need not be in memory. */
async function makeFile(folder: string, bytes: number): Promise<{ path: string; sha256: string }> {
  const path = join(folder, 'large.bin');
  const cipher = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  const hash = createHash('sha256');
  const file = createWriteStream(path);
  const zeros = Buffer.alloc(MB);
  for (let left = bytes; left > 0; left -= MB) {
    const block = cipher.update(zeros.subarray(0, Math.min(left, MB)));
    hash.update(block);
    if (!file.write(block)) await new Promise((resolve) => file.once('drain', resolve));
  }
  await promisify(file.end.bind(file))();
  return { path, sha256: hash.digest('hex') };
}

async function startUpload({ driver, wire }: Rig, path: string): Promise<void> {
  await driver.goto(`${wire.url}/en`);
  await driver.untilText('Choose files');
  await driver.giveFiles('input[type=file]', [path]);
  await driver.click('Start upload');
}

const untilPercent = (driver: WebDriver, percent: number) =>
  driver.until((wanted) => {
    const shown = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow');
    return Number(shown ?? 0) >= wanted;
  }, percent);

/** Waits for the hand-over and answers the hash of what a stranger's client makes of it. */
async function fetchBack({ driver, wire, folder }: Rig): Promise<string> {
  await driver.untilText('Your files are ready to be handed over.');
  await driver.click('Show key');
  const [link = '', key = ''] = await driver.run(() =>
    [...document.querySelectorAll('[role=group] output')].map((shown) => shown.textContent),
  );
  wire.cutEveryBytes = Number.POSITIVE_INFINITY;
  const { stdout } = await promisify(execFile)(process.execPath, [STRANGER, link, key, join(folder, 'out')]);
  return (JSON.parse(stdout) as { sha256: string }[])[0]?.sha256 ?? '';
}

test('a gigabyte survives a cut at every 100 MB, and only what was under way is sent again', async ({ rig }) => {
  const { wire, driver, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 1024 * MB);
  wire.cutEveryBytes = 100 * MB;
  await startUpload(rig, path);
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
  await startUpload(rig, path);
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
  await startUpload(rig, path);
  await untilPercent(driver, 30);
  await backend.down('SIGKILL');
  await driver.untilText('Waiting for the network');
  await backend.up();
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.parts).toBeLessThanOrEqual(12 + LANES);
});

test('a connection that goes silent costs one part', async ({ rig }) => {
  const { wire, folder } = rig;
  const { path, sha256 } = await makeFile(folder, 100 * MB);
  wire.stallNextPart = true;
  await startUpload(rig, path);
  expect(await fetchBack(rig)).toBe(sha256);
  expect(wire.parts).toBe(5);
});

test('a page that could not be resumed takes its upload off the server as it closes', async ({ rig }) => {
  const { wire, driver, folder, backend } = rig;
  const { path } = await makeFile(folder, 500 * MB);
  const uploads = async () => {
    const names = await readdir(join(backend.dataDir, 'objects'), { recursive: true });
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
  await driver.click('Start upload');
  await untilPercent(driver, 20);
  expect(await uploads()).toHaveLength(1);
  await driver.goto('about:blank');
  await expect.poll(uploads).toEqual([]);
});
