import { LANGUAGE_NAMES, languages, matchLanguage } from '@furoshiki/locales';
import { holdBytes } from './support/holding.ts';
import { chooseFiles, readHandover } from './support/people.ts';
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

  test('is switched where one stands: neither a key that is shown once nor a choice is lost, and going back switches back', async ({
    page,
    server,
  }) => {
    const choose = async (from: string, to: string) => {
      await page.getByRole('button', { name: from }).click();
      await page.getByRole('link', { name: to }).click();
    };
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [note]);
    await choose('Language: English', 'Deutsch');
    await expect(page.getByRole('list', { name: 'Zu sendende Dateien' })).toContainText('note.txt');
    await expect(page.getByRole('button', { name: 'Sprache: Deutsch' })).toBeFocused();
    await choose('Sprache: Deutsch', 'English');
    await page.getByRole('button', { name: 'Start upload' }).click();
    const { link, key } = await readHandover(page);
    await choose('Language: English', '日本語');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('包み終わりました');
    await expect(page).toHaveURL(link.replace('/en/', '/ja/'));
    await expect(page.getByText(key)).toBeVisible();
    expect(await page.evaluate(() => [document.documentElement.lang, localStorage.getItem('i18nextLng')])).toEqual([
      'ja',
      'ja',
    ]);
    await page.goBack();
    await expect(page.getByText('Your files are ready to be handed over.')).toBeVisible();
    await expect(page.getByText(key)).toBeVisible();
  });

  test('is switched during an upload without a question, and the upload goes on', async ({ page, server }) => {
    const bytes = await holdBytes(page, server);
    await page.goto(`${server.url}/en`);
    await chooseFiles(page, [{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }]);
    await page.getByRole('button', { name: 'Start upload' }).click();
    await expect.poll(bytes.count).toBe(1);
    const questions: string[] = [];
    page.on('dialog', async (dialog) => {
      questions.push(dialog.message());
      await dialog.dismiss();
    });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await expect(page.getByRole('button', { name: 'Abbrechen' })).toBeVisible();
    expect(questions).toEqual([]);
    // The same place begun anew ends it, and so asks.
    await page.getByRole('link', { name: 'Furoshiki, von vorn beginnen' }).click();
    await expect.poll(() => questions).toHaveLength(1);
    await bytes.release();
    await expect(page).toHaveURL(/\/de\/download\//u);
  });

  test.describe('without a service worker, whose requests no test can answer', () => {
    test.use({ serviceWorkers: 'block' });

    test('stays as it was where its texts cannot be had, and can be asked for again', async ({ page, server }) => {
      await page.goto(`${server.url}/en/contact`);
      const choose = async () => {
        await page.getByRole('button', { name: 'Language: English' }).click();
        await page.getByRole('link', { name: 'Deutsch' }).click();
      };
      // As after an upgrade: the server answers, and not with texts.
      const answer = { status: 404, json: { errorCode: 'NOT_FOUND', error: 'x', message: 'x' } };
      await page.route('**/assets/de-*.json', (route) => route.fulfill(answer));
      await choose();
      await expect(page).toHaveURL(`${server.url}/en/contact`);
      await expect(page.getByRole('heading', { name: 'Contact' })).toBeVisible();
      await page.unrouteAll();
      await choose();
      await expect(page.getByRole('heading', { name: 'Kontakt' })).toBeVisible();
      await expect(page).toHaveURL(`${server.url}/de/contact`);
    });
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
