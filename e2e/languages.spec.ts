import { expect, test } from './support/test.ts';

test.describe('the language', () => {
  for (const [stored, browserLanguage, path, expected] of [
    [undefined, 'en-GB', '/', '/en'],
    [undefined, 'ja-JP', '/', '/ja'],
    [undefined, 'xx', '/', '/ja'],
    ['en', 'ja-JP', '/', '/en'],
    ['en', 'ja-JP', '/ja', '/ja'],
  ] as const) {
    test(`is ${expected} for ${path} with ${stored ?? 'nothing'} stored and a browser in ${browserLanguage}`, async ({
      browser,
      server,
    }) => {
      const context = await browser.newContext({ locale: browserLanguage });
      const page = await context.newPage();
      if (stored !== undefined) {
        await page.goto(`${server.url}/${stored}`);
        await expect(page.locator('html')).toHaveAttribute('lang', stored);
      }
      await page.goto(server.url + path);
      await expect(page).toHaveURL(server.url + expected);
      await expect(page.locator('html')).toHaveAttribute('lang', expected.slice(1));
      await context.close();
    });
  }

  test('is switched by its link, which keeps the place', async ({ page, server }) => {
    await page.goto(`${server.url}/en/download/${'A'.repeat(22)}`);
    await page.getByRole('button', { name: 'Language: English' }).click();
    await page.getByRole('link', { name: '日本語' }).click();
    await expect(page).toHaveURL(`${server.url}/ja/download/${'A'.repeat(22)}`);
    await expect(page.getByRole('heading', { name: 'ここにファイルはありません' })).toBeVisible();
  });

  test('that we do not have is a page that does not exist', async ({ page, server }) => {
    expect((await page.goto(`${server.url}/xx`))?.status()).toBe(404);
    expect((await page.goto(`${server.url}/en`))?.status()).toBe(200);
  });
});
