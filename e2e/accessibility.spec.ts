// One pass of axe over the pages as they are built and served. Every state of every screen is a component test of the web
// app: wide and narrow, light and dark, by axe, by finger and by keyboard.
import type { Page } from '@playwright/test';
import { send } from './support/people.ts';
import { expectSound } from './support/sound.ts';
import { expect, test } from './support/test.ts';

test('the built pages are sound', async ({ page, server }) => {
  const { link } = await send(page, server.url, [
    { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
  ]);
  for (const [address, title] of [
    [`${server.url}/en`, 'Hand over files'],
    [link, 'Files for you'],
    [`${server.url}/en/faq`, 'Frequently asked questions'],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await expectSound(page);
  }
});

test('the chosen theme is there before the first paint of the next visit', async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  const darkPaper = await paperOf(page);
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  expect(await paperOf(page)).toBe(darkPaper);
  await page.evaluate(() => localStorage.removeItem('furoshiki.theme'));
  await page.reload();
  expect(await paperOf(page)).not.toBe(darkPaper);
});

const paperOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
