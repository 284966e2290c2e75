// A large file from a browser to the client, and back. `npm run test:long` sends 512 MB.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CliUser } from '../support/cli.ts';
import { IS_LONG } from '../support/long.ts';
import { makeFile } from '../support/transfer-rig.ts';
import { openPage, send } from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const BYTES = (IS_LONG ? 512 : 60) * 1024 * 1024;

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

test('a large file arrives unchanged, from a browser and in a browser', { tag: '@long' }, async ({ page, server }) => {
  test.setTimeout(IS_LONG ? 1_800_000 : 300_000);
  const user = await CliUser.create(server.url);
  try {
    const { path, sha256 } = await makeFile(user.folder, BYTES);
    const fromBrowser = await send(page, server.url, [path]);
    const { exitCode } = await user.run(['receive', fromBrowser.link, '-o', 'in'], { input: fromBrowser.key });
    expect([exitCode, await hashOf(user.path('in/large.bin'))]).toEqual([0, sha256]);
    await openPage(page, await user.send(['large.bin']));
    // The browser saves a file when all of it has arrived.
    const saving = page.waitForEvent('download', { timeout: IS_LONG ? 600_000 : 90_000 });
    await page.getByRole('button', { name: 'Download large.bin', exact: true }).click();
    const saved = await saving;
    expect(await hashOf(await saved.path())).toBe(sha256);
  } finally {
    await user.discard();
  }
});
