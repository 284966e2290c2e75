import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { chooseFiles, openPage, readHandover, sha256, sha256Of } from './support/people.ts';
import { expect, type ProxiedCluster, test } from './support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
/** Longer than all retries of one part or one call together: 2, 4 and 8 seconds. */
const OUTAGE_MS = 20_000;

async function loseStore(page: Page, { storeProxy }: ProxiedCluster, act: () => Promise<void>): Promise<void> {
  await storeProxy.down();
  await act();
  await expect(page.getByText('Waiting for a connection to the server. It goes on by itself.')).toBeVisible();
  await page.waitForTimeout(OUTAGE_MS);
  await storeProxy.up();
}

test('a store that is away for a while costs time, not the transfer', { tag: '@cluster' }, async ({
  page,
  cluster,
}) => {
  if (!cluster) throw new Error('this test needs the cluster');
  // Two outages of 20 seconds.
  test.setTimeout(240_000);
  await page.goto(`${cluster.url}/en`);
  await chooseFiles(page, [FILE]);
  await loseStore(page, cluster, () => page.getByRole('button', { name: 'Start upload' }).click());
  const handover = await readHandover(page);

  await openPage(page, handover);
  const downloading = page.waitForEvent('download', { timeout: 120_000 });
  await loseStore(page, cluster, () => page.getByRole('button', { name: `Download ${FILE.name}` }).click());
  expect(await sha256Of(await downloading)).toBe(sha256(FILE.buffer));
});
