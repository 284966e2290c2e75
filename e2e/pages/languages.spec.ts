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

test('a text that a language lacks is shown in English', async ({ page, server }) => {
  await page.route(/\/assets\/de-[^/]+\.json$/u, async (route) => {
    const response = await route.fetch();
    const texts = (await response.json()) as { download: { notFoundHint?: string } };
    delete texts.download.notFoundHint;
    await route.fulfill({ response, json: texts });
  });
  await page.goto(`${server.url}/de/download/${'x'.repeat(22)}`);
  await expect(page.getByText('Hier sind keine Dateien')).toBeVisible();
  await expect(page.getByText('They may have expired,')).toBeVisible();
});
