// On the cluster alone: see the projects in playwright.config.ts.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { Cluster } from './support/cluster.ts';
import { chooseFiles, openPage, readHandover, sha256, sha256Of } from './support/people.ts';
import { expect, test } from './support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };
/** Longer than the tries of one part or one call last: 2, 4 and 8 seconds. */
const OUTAGE_MS = 20_000;

async function loseStore(page: Page, { ceph }: Cluster, act: () => Promise<void>): Promise<void> {
  await ceph.down();
  await act();
  await expect(page.getByText('Waiting for a connection to the server. It goes on by itself.')).toBeVisible();
  await page.waitForTimeout(OUTAGE_MS);
  await ceph.up();
}

test('a store that is away for a while costs time, not the transfer', async ({ page, cluster }) => {
  if (!cluster) throw new Error('this test is about the cluster');
  await page.goto(`${cluster.url}/en`);
  await chooseFiles(page, [FILE]);
  await loseStore(page, cluster, () => page.getByRole('button', { name: 'Start upload' }).click());
  const handover = await readHandover(page);

  await openPage(page, handover);
  const downloading = page.waitForEvent('download');
  await loseStore(page, cluster, () => page.getByRole('button', { name: `Download ${FILE.name}` }).click());
  expect(await sha256Of(await downloading)).toBe(sha256(FILE.buffer));
});
