// A connection that breaks within every chunk, in a browser. e2e/cli/network.spec.ts does the same with the client.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from '../support/proxied-site.ts';
import { downloadFile, openPage, sha256, sha256Of } from '../support/user-actions.ts';
import { expect } from '../support/test.ts';

const MB = 1024 * 1024;
/** One chunk, and more than twice what passes between two cuts: it cannot arrive in one piece. */
const BYTES = randomBytes(24 * MB);

test('a chunk that was cut continues where it stopped', async ({ page, user, site: { proxy } }) => {
  writeFileSync(user.path('big.bin'), BYTES);
  await openPage(page, await user.send(['big.bin']));
  const [cutsBefore, bytesBefore] = [proxy.cuts, proxy.bytes.toClient];
  proxy.cutEveryBytes = 10 * MB;
  const download = await downloadFile(page, 'big.bin');
  expect(await sha256Of(download)).toBe(sha256(BYTES));
  proxy.cutEveryBytes = Number.POSITIVE_INFINITY;
  expect(proxy.cuts - cutsBefore).toBeGreaterThanOrEqual(2);
  // Each cut loses what is in the buffers of the sockets: a few megabytes on this machine.
  expect(proxy.bytes.toClient - bytesBefore).toBeLessThan(2 * BYTES.length);
});
