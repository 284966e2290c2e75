// Runs axe on the pages as they are built and served. The component tests of the web app check every state of every
// screen: wide and narrow, light and dark, with axe, touch and keyboard.
import type { Page } from '@playwright/test';
import { send } from '../support/user-actions.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { expect, test } from '../support/test.ts';

test('the built pages are accessible', async ({ page, server }) => {
  const { link } = await send(page, server.url, [
    { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
  ]);
  for (const [address, title] of [
    [`${server.url}/en`, 'Send files'],
    [link, 'Files you sent'],
    [`${server.url}/en/faq`, 'Frequently asked questions'],
    [`${server.url}/%zz`, 'The request isn’t valid.'],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await expectAccessible(page);
  }
});

test('applies the chosen theme before the first paint of the next visit', async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  const darkBackground = await backgroundOf(page);
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  expect(await backgroundOf(page)).toBe(darkBackground);
  await page.evaluate(() => localStorage.removeItem('furoshiki.theme'));
  await page.reload();
  expect(await backgroundOf(page)).not.toBe(darkBackground);
});

const backgroundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
