// A browser by the plain protocol, its server, and a wire between them that the test cuts. For files of real size.
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
  /** Where the browser saves to. */
  downloads: string;
  backend: ServerProcess;
  wire: TcpProxy;
  driver: WebDriver;
}

export const test = base.extend<{ rig: Rig }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
  rig: async ({}, provide) => {
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-engine-'));
    const backend = await ServerProcess.start();
    const wire = await TcpProxy.start(backend.port);
    const downloads = await mkdtemp(join(folder, 'downloads-'));
    const driver = await WebDriver.start(await chromium({ download: { default_directory: downloads } }));
    await provide({ folder, downloads, backend, wire, driver });
    await driver.discard();
    await wire.discard();
    await backend.discard();
    await rm(folder, { recursive: true });
  },
});

/** Gives a file to the home screen at this address and begins to send it. */
export async function startUpload({ driver }: Rig, url: string, path: string): Promise<void> {
  await driver.goto(`${url}/en`);
  await driver.untilText('Choose files');
  await driver.giveFiles('input[type=file]', [path]);
  await driver.click('Start upload');
}

/** Waits for the end of it. */
export async function readHandover({ driver }: Rig): Promise<{ link: string; key: string }> {
  await driver.untilText('Your files are ready to be handed over.');
  await driver.click('Show key');
  const [link = '', key = ''] = await driver.run(() =>
    [...document.querySelectorAll('[role=group] output')].map((shown) => shown.textContent),
  );
  return { link, key };
}

/** A file of random bytes that need not be in memory. */
export async function makeFile(folder: string, bytes: number): Promise<{ path: string; sha256: string }> {
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
