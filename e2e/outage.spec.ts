// The object store is unreachable for a while during a transfer.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { chooseFiles, openPage, readShare, sha256, sha256Of } from './support/user-actions.ts';
import { expect, type ProxiedCluster, test } from './support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
/** Longer than all retries of one part or one call together: 2, 4 and 8 seconds. */
const OUTAGE_MS = 20_000;

async function withStoreOutage(page: Page, { storeProxy }: ProxiedCluster, act: () => Promise<void>): Promise<void> {
  await storeProxy.interrupt();
  await act();
  await expect(page.getByText('Waiting for a connection to the server. It goes on by itself.')).toBeVisible();
  await page.waitForTimeout(OUTAGE_MS);
  await storeProxy.resume();
}

test('a transfer continues after the store was unreachable for a while', { tag: '@cluster' }, async ({
  page,
  cluster,
}) => {
  if (!cluster) throw new Error('this test needs the cluster');
  // Two outages of 20 seconds.
  test.setTimeout(240_000);
  await page.goto(`${cluster.url}/en`);
  await chooseFiles(page, [FILE]);
  await withStoreOutage(page, cluster, () => page.getByRole('button', { name: 'Start upload' }).click());
  const share = await readShare(page);

  await openPage(page, share);
  // The event comes only after all retries, the outage, the next check of the connection and the transfer itself.
  const downloading = page.waitForEvent('download', { timeout: 120_000 });
  await withStoreOutage(page, cluster, () => page.getByRole('button', { name: `Download ${FILE.name}` }).click());
  expect(await sha256Of(await downloading)).toBe(sha256(FILE.buffer));
});
