// The language: from the address, the stored choice or the browser; switched without losing anything.
import { LANGUAGES, languages, matchLanguage } from '@furoshiki/texts';
import { describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { lacksLanguageOfBrowser } from '../platform/device/i18n.ts';
import { expectAccessible } from '../../testing/accessibility.ts';
import { renderApp, renderWithRealI18n } from '../../testing/render-app.tsx';
import { button, chooseFiles, click, fileOf, press } from '../../testing/user.ts';

const PAGE = `/download/${'A'.repeat(22)}`;

describe('the language', () => {
  test.each([
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
    ['pt', 'xx', PAGE, PAGE],
  ] as const)('with %s stored and a browser in %s, %s is %s', async (stored, browserLanguage, path, expected) => {
    if (stored !== undefined) localStorage.setItem('i18nextLng', stored);
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue([browserLanguage]);
    vi.spyOn(navigator, 'language', 'get').mockReturnValue(browserLanguage);
    document.documentElement.lang = 'ja';
    await renderWithRealI18n(path);
    await expect.poll(() => location.pathname).toBe(expected);
    const [, first = ''] = expected.split('/');
    const shown = languages.find((code) => code === first) ?? stored ?? matchLanguage(browserLanguage) ?? 'ja';
    await expect.poll(() => document.documentElement.lang).toBe(shown);
    await expect
      .element(page.getByRole('banner').getByText(LANGUAGES[shown].name, { exact: true }).first())
      .toBeVisible();
    // The language of this address is the preference of the next visit.
    expect(localStorage.getItem('i18nextLng')).toBe(shown);
  });
});

test('a browser in a language that we lack is told, in English, that there is English', async () => {
  await renderApp('/ja', { offersEnglish: true });
  const offer = page.getByText('This page is also available in English.');
  await expect.element(offer).toHaveAttribute('lang', 'en');
  await expectAccessible();
  await click(offer.getByRole('link', { name: 'English' }));
  await expect.element(page.getByRole('heading', { name: 'Send files' })).toBeVisible();
  await expect.element(offer).not.toBeInTheDocument();
});

test.each([
  [['it', 'nl-BE'], undefined, true],
  [['it', 'en-GB'], undefined, false],
  [['it'], 'ja', false],
])('a browser in %s with %s stored lacks its language: %s', (browserLanguages, stored, expected) => {
  if (stored !== undefined) localStorage.setItem('i18nextLng', stored);
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(browserLanguages);
  expect(lacksLanguageOfBrowser()).toBe(expected);
});

async function choose(from: string, to: string): Promise<void> {
  await press(from);
  await click(page.getByRole('link', { name: to }));
}

test('is switched by its link, which keeps the place', async () => {
  await renderApp(`/en${PAGE}`);
  await expect.element(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  await choose('Language: English', '日本語');
  await expect.element(page.getByRole('heading', { name: 'ここにファイルはありません' })).toBeVisible();
  await expect.poll(() => location.pathname).toBe(`/ja${PAGE}`);
});

test('is switched without losing the chosen files or the key, and going back switches back', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('note.txt')]);
  await choose('Language: English', 'Deutsch');
  await expect.element(page.getByRole('list', { name: 'Zu sendende Dateien' })).toMatchTextContent('note.txt');
  await expect.element(button('Sprache: Deutsch')).toHaveFocus();
  await choose('Sprache: Deutsch', 'English');
  await press('Start upload');
  const key = page.getByRole('group', { name: 'Key', exact: true });
  await click(key.getByRole('button', { name: 'Show key' }));
  const keyText = key.getByRole('status').element().textContent;
  const english = location.pathname;
  await choose('Language: English', '日本語');
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('包み終わりました');
  await expect.poll(() => location.pathname).toBe(english.replace('/en/', '/ja/'));
  await expect.element(page.getByText(keyText)).toBeVisible();
  await expect.poll(() => document.documentElement.lang).toBe('ja');
  history.back();
  await expect.element(page.getByRole('heading', { name: 'Wrapped and ready' })).toBeVisible();
  await expect.element(page.getByText(keyText)).toBeVisible();
});

test('is switched during an upload without a question, and starting over asks', async () => {
  const { bytes } = await renderApp('/en');
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
  bytes.hold();
  await chooseFiles([fileOf('note.txt')]);
  await press('Start upload');
  await expect.poll(() => bytes.held.length).toBe(1);
  await press('Settings');
  await page.getByRole('combobox', { name: 'Language' }).selectOptions('Deutsch');
  await expect.element(button('Abbrechen')).toBeVisible();
  expect(confirm).not.toHaveBeenCalled();
  await click(page.getByRole('link', { name: 'Furoshiki, von vorn beginnen' }));
  await expect.poll(() => confirm.mock.calls.length).toBe(1);
  bytes.release();
  await expect.poll(() => location.pathname).toMatch(/^\/de\/download\//u);
});

test('stays as it was if the user goes back before the texts of another one have arrived', async () => {
  await renderWithRealI18n('/en/contact');
  await expect.element(page.getByRole('heading', { name: 'Contact' })).toBeVisible();
  const shown: string[] = [];
  const observer = new MutationObserver(() => void shown.push(document.documentElement.lang));
  observer.observe(document.documentElement, { attributeFilter: ['lang'] });
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { fetch } = globalThis;
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    await isReleased;
    return fetch(...request);
  });
  await choose('Language: English', 'Deutsch');
  await expect.poll(() => fetching.mock.calls.length).toBe(1);
  history.back();
  await expect.poll(() => location.pathname).toBe('/en/contact');
  const reading = vi.spyOn(Response.prototype, 'text');
  release();
  await expect.poll(() => reading.mock.settledResults[0]?.type).toBe('fulfilled');
  await choose('Language: English', '日本語');
  await expect.poll(() => document.documentElement.lang).toBe('ja');
  expect(shown).not.toContain('de');
  observer.disconnect();
});

test('stays as it was if its texts cannot be loaded, and can be chosen again', async () => {
  await renderWithRealI18n('/en/contact');
  await expect.element(page.getByRole('heading', { name: 'Contact' })).toBeVisible();
  // As after an upgrade of the server: it responds, but not with texts.
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}, { status: 404 }));
  await choose('Language: English', 'Deutsch');
  await expect.poll(() => fetching.mock.calls.length).toBeGreaterThan(0);
  await expect.poll(() => location.pathname).toBe('/en/contact');
  await expect.element(page.getByRole('heading', { name: 'Contact' })).toBeVisible();
  fetching.mockRestore();
  await choose('Language: English', 'Deutsch');
  await expect.element(page.getByRole('heading', { name: 'Kontakt' })).toBeVisible();
  await expect.poll(() => location.pathname).toBe('/de/contact');
});
