// The language of a first and of a later visit, on real pages. All other cases are component tests of the web app.
import { expect, test } from './support/test.ts';

test('the language comes from the browser, then from the last visit, and an unknown one does not exist', async ({
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
