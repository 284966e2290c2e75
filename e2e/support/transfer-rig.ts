// A WebDriver browser, a server, and a proxy between them that cuts connections. For files of realistic size.
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServerProcess } from './server-process.ts';
import { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import { test as base } from './test.ts';
import { chromium, WebDriver } from './web-driver.ts';

export const MB = 1024 * 1024;

export interface Rig {
  folder: string;
  /** The folder that the browser saves downloads to. */
  downloads: string;
  backend: ServerProcess;
  proxy: TcpProxy;
  driver: WebDriver;
}

export const test = base.extend<{ rig: Rig }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  rig: async ({}, provide) => {
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-engine-'));
    const backend = await ServerProcess.start();
    const proxy = await TcpProxy.start(backend.port);
    const downloads = await mkdtemp(join(folder, 'downloads-'));
    const driver = await WebDriver.start(await chromium({ download: { default_directory: downloads } }));
    await provide({ folder, downloads, backend, proxy, driver });
    await driver.discard();
    await proxy.discard();
    await backend.discard();
    await rm(folder, { recursive: true });
  },
});

/** Opens the home screen at this URL, chooses the file and starts the upload. */
export async function startUpload({ driver }: Pick<Rig, 'driver'>, url: string, path: string): Promise<void> {
  await driver.goto(`${url}/en`);
  await driver.untilText('Choose files');
  await driver.giveFiles('input[type=file]', [path]);
  await driver.click('Start upload');
}

/** Waits until the upload is complete and returns the link and the key. */
export async function readShare({ driver }: Pick<Rig, 'driver'>): Promise<{ link: string; key: string }> {
  await driver.untilText('Wrapped and ready');
  await driver.click('Show key');
  const [link = '', key = ''] = await driver.run(() =>
    [...document.querySelectorAll('[role=group] output')].map((shown) => shown.textContent),
  );
  return { link, key };
}

/** Writes a file of random bytes without holding it in memory. */
export async function makeFile(folder: string, bytes: number): Promise<{ path: string; sha256: string }> {
  const path = join(folder, 'large.bin');
  const cipher = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  const hash = createHash('sha256');
  const file = createWriteStream(path);
  const zeros = Buffer.alloc(MB);
  for (let remaining = bytes; remaining > 0; remaining -= MB) {
    const block = cipher.update(zeros.subarray(0, Math.min(remaining, MB)));
    hash.update(block);
    if (!file.write(block)) await new Promise((resolve) => file.once('drain', resolve));
  }
  await promisify(file.end.bind(file))();
  return { path, sha256: hash.digest('hex') };
}
