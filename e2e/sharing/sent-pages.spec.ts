// The list "Sent from this device": it outlives the page, follows the server and other tabs, and is cleared by its switch.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test.ts';
import { pageFiles, send } from '../support/user-actions.ts';

const fileOf = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
const storedText = (page: Page) => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));

test('what was sent is listed until it is deleted or the list is turned off', async ({ page, server, context }) => {
  const first = await send(page, server.url, [fileOf('first.txt'), fileOf('more.txt')]);
  const second = await send(page, server.url, [fileOf('second.txt')], 3);
  const list = page.getByRole('region', { name: 'Sent from this device' });
  const rows = list.getByRole('listitem');

  await page.goto(`${server.url}/en`);
  await expect(rows).toHaveCount(2);
  await page.reload();
  await rows.last().scrollIntoViewIfNeeded();
  await expect(rows.first()).toContainText(/second\.txt.*0 of 3 downloads used/su);
  await expect(rows.last()).toContainText(/first\.txt and 1 more.*0 of 5 downloads used/su);
  await expect(list.getByRole('link', { name: 'second.txt' })).toHaveJSProperty('href', second.link);
  for (const { key } of [first, second]) expect(await storedText(page)).not.toContain(key);

  const otherTab = await context.newPage();
  await otherTab.goto(`${server.url}/en`);
  const otherRows = otherTab.getByRole('region', { name: 'Sent from this device' }).getByRole('listitem');
  await expect(otherRows).toHaveCount(2);

  await page.getByRole('button', { name: 'Delete first.txt and 1 more' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Deleted: first.txt and 1 more')).toBeVisible();
  await expect(rows).toHaveCount(1);
  await expect(otherRows).toHaveCount(1);
  expect(await pageFiles(server.url, first.link)).toEqual([]);
  expect(await pageFiles(server.url, second.link)).toHaveLength(1);

  await otherTab.getByRole('button', { name: 'Settings' }).click();
  const choice = otherTab.getByRole('radiogroup', { name: 'Sent from this device' });
  await choice.getByRole('radio', { name: 'Off' }).check({ force: true });
  await expect(list).toBeHidden();
  await expect(otherRows).toHaveCount(0);
  expect(await storedText(page)).not.toContain('second.txt');

  await send(page, server.url, [fileOf('third.txt')]);
  await page.goto(`${server.url}/en`);
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('button', { name: 'Start upload' })).toBeVisible();
  await expect(list).toBeHidden();
  expect(await storedText(page)).not.toContain('third.txt');
});
