// The language of a first and a later visit, on real pages. The component tests of the web app cover all other cases.
import { expect, test } from '../support/test.ts';

test('the language is that of the browser, later that of the last visit, and an unknown one returns 404', async ({
  browser,
  server,
}) => {
  const context = await browser.newContext({ locale: 'de-AT' });
  const page = await context.newPage();
  await page.goto(`${server.url}/`);
  await expect(page).toHaveURL(`${server.url}/de`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.goto(`${server.url}/ko/faq`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'ko');
  await page.goto(`${server.url}/`);
  await expect(page).toHaveURL(`${server.url}/ko`);
  expect((await page.goto(`${server.url}/xx`))?.status()).toBe(404);
  await context.close();
});
