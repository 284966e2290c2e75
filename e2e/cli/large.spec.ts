// A large file from a browser to the client, and back. `npm run test:long` sends 2 GB.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { CliUser } from '../support/cli.ts';
import { IS_LONG } from '../support/long.ts';
import { makeFile, MB, readShare, startUpload } from '../support/transfer-rig.ts';
import { expect, test as base } from '../support/test.ts';
import { chromium, WebDriver } from '../support/web-driver.ts';

const BYTES = (IS_LONG ? 2048 : 60) * MB;

/**
 * `driver` is a browser with a profile on disk. Playwright's pages are private: they keep their files in memory, so for
 * 2 GB the app would open a save dialog, which no test can answer.
 */
const test = base.extend<{ user: CliUser; driver: WebDriver }>({
  user: async ({ server }, provide) => {
    if (IS_LONG) base.setTimeout(1_800_000);
    const user = await CliUser.create(server.url);
    await provide(user);
    await user.discard();
  },
  driver: async ({ user }, provide) => {
    await mkdir(user.path('saved'));
    const driver = await WebDriver.start(await chromium({ download: { default_directory: user.path('saved') } }));
    await provide(driver);
    await driver.discard();
  },
});

test.skip(findProgram('chromedriver') === undefined, 'chromedriver is not installed');

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

test('a large file arrives unchanged, from a browser and in a browser', { tag: ['@long', '@backends'] }, async ({
  server,
  user,
  driver,
}) => {
  const { path, sha256 } = await makeFile(user.folder, BYTES);
  await startUpload({ driver }, server.url, path);
  const fromBrowser = await readShare({ driver });
  const { exitCode } = await user.run(['receive', fromBrowser.link, '-o', 'in'], { input: fromBrowser.key });
  expect([exitCode, await hashOf(user.path('in/large.bin'))]).toEqual([0, sha256]);
  await rm(user.path('in'), { recursive: true });

  const { link, key } = await user.send(['large.bin', '--downloads', '1']);
  await driver.goto(`${link}#key=${encodeURIComponent(key)}`);
  await driver.untilText('The key fits.');
  await driver.click('Download large.bin');
  await driver.untilText('Saved');
  const saved = user.path('saved', 'large.bin');
  const savedBytes = async () =>
    (await readdir(user.path('saved'))).includes('large.bin') ? (await stat(saved)).size : 0;
  await expect.poll(savedBytes).toBe(BYTES);
  expect(await hashOf(saved)).toBe(sha256);
});
