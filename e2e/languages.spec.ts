import { LANGUAGE_NAMES, languages, matchLanguage } from '@furoshiki/locales';
import { expect, test } from './support/test.ts';

test.describe('the language', () => {
  for (const [stored, browserLanguage, path, expected] of [
    [undefined, 'en-GB', '/', '/en'],
    [undefined, 'ja-JP', '/', '/ja'],
    [undefined, 'xx', '/', '/ja'],
    ['en', 'ja-JP', '/', '/en'],
    ['en', 'ja-JP', '/ja', '/ja'],
    [undefined, 'de-AT', '/', '/de'],
    [undefined, 'pt-BR', '/', '/pt'],
    [undefined, 'zh-HK', '/', '/zh-TW'],
    [undefined, 'zh-Hans-SG', '/', '/zh-CN'],
    ['ko', 'fr-FR', '/', '/ko'],
    ['zh-TW', 'es-MX', '/', '/zh-TW'],
    ['fr', 'en-US', '/es', '/es'],
    [undefined, 'ko-KR', '/faq', '/faq'],
    ['es', 'ko-KR', '/faq', '/faq'],
    ['es', 'ko-KR', '/de/faq', '/de/faq'],
    ['pt', 'xx', `/download/${'A'.repeat(22)}`, `/download/${'A'.repeat(22)}`],
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
      const [, first = ''] = expected.split('/');
      const shown = languages.find((code) => code === first) ?? stored ?? matchLanguage(browserLanguage) ?? 'ja';
      await expect(page.locator('html')).toHaveAttribute('lang', shown);
      await expect(page.getByRole('banner').getByText(LANGUAGE_NAMES[shown], { exact: true }).first()).toBeVisible();
      // The choice that the address made is the next one's preference.
      expect(await page.evaluate(() => localStorage.getItem('i18nextLng'))).toBe(shown);
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

  test('menu marks the language at hand, and closes on a press outside', async ({ page, server }) => {
    await page.goto(`${server.url}/de/faq`);
    await page.getByRole('button', { name: 'Sprache: Deutsch' }).click();
    await expect(page.getByRole('link', { name: 'Deutsch' })).toHaveAttribute('aria-current', 'true');
    await expect(page.getByRole('link', { name: 'Français' })).toHaveAttribute('href', 'fr/faq');
    await page.getByRole('heading', { level: 1 }).click();
    await expect(page.getByRole('link', { name: 'Français' })).toBeHidden();
  });

  test('that we do not have is a page that does not exist', async ({ page, server }) => {
    expect((await page.goto(`${server.url}/xx`))?.status()).toBe(404);
    expect((await page.goto(`${server.url}/en`))?.status()).toBe(200);
  });
});
