// The object store is unreachable for a while during a transfer.
import { randomBytes } from 'node:crypto';
import { STEP_MS } from '../support/limits.ts';
import { IS_LONG } from '../support/long.ts';
import { beginOutage } from '../support/proxied-site.ts';
import { expect, test } from '../support/test.ts';
import { chooseFiles, downloadFile, openPage, readShare, send, sha256, sha256Of } from '../support/user-actions.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
/** So many connections to the store fail. 40 take longer than all retries of one part or one call together. */
const REFUSED = IS_LONG ? 40 : 4;

test('an upload and a download continue after the store was unreachable for a while', {
  tag: ['@cluster', '@long'],
}, async ({ page: recipient, context, cluster }) => {
  if (!cluster) throw new Error('this test needs the cluster');
  const { storeProxy, url } = cluster;
  const sender = await context.newPage();
  await openPage(recipient, await send(recipient, url, [FILE]));
  await sender.goto(`${url}/en`);
  await chooseFiles(sender, [FILE]);

  const outage = await beginOutage(storeProxy);
  // The event comes only after all retries, the outage, the next check of the connection and the transfer itself.
  const downloading = recipient.waitForEvent('download', { timeout: STEP_MS });
  await recipient.getByRole('button', { name: `Download ${FILE.name}` }).click();
  await sender.getByRole('button', { name: 'Start upload' }).click();
  for (const page of [recipient, sender])
    await expect(page.getByText('Waiting for the server. Your transfer will pick up where it left off.')).toBeVisible();
  const before = outage.refused();
  await expect.poll(outage.refused).toBeGreaterThanOrEqual(before + REFUSED);
  await outage.end();

  expect(await sha256Of(await downloading)).toBe(sha256(FILE.buffer));
  await openPage(recipient, await readShare(sender));
  expect(await sha256Of(await downloadFile(recipient, FILE.name))).toBe(sha256(FILE.buffer));
});
