import { expect, it, vi } from 'vitest';
import { createI18n } from './i18n.ts';
import type { Language } from './languages.ts';
import { messages } from './messages.ts';

const load = async (language: Language) => messages[language];

it('changes the language once its texts are loaded, and the latest wish wins', async () => {
  const french = Promise.withResolvers<typeof messages.fr>();
  const i18n = await createI18n('de', 'en', (language) => (language === 'fr' ? french.promise : load(language)));
  const listener = vi.fn<() => void>();
  i18n.subscribe(listener);
  const changing = i18n.changeTo('fr');
  expect(i18n.get().language).toBe('de');
  await i18n.changeTo('ja');
  french.resolve(messages.fr);
  await changing;
  expect(i18n.get()).toMatchObject({ language: 'ja', texts: messages.ja });
  expect(i18n.get().t('home.title')).toBe(messages.ja.home.title);
  expect(listener).toHaveBeenCalledOnce();
});

it('stays in its language if that is wanted again while another one is loading, without loading it again', async () => {
  const french = Promise.withResolvers<typeof messages.fr>();
  const loadTexts = vi.fn<typeof load>((language) => (language === 'fr' ? french.promise : load(language)));
  const i18n = await createI18n('de', 'en', loadTexts);
  const changing = i18n.changeTo('fr');
  await i18n.changeTo('de');
  french.resolve(messages.fr);
  await changing;
  expect(i18n.get()).toMatchObject({ language: 'de', texts: messages.de });
  expect(loadTexts.mock.calls.map(([language]) => language)).toEqual(['de', 'fr']);
});

it('keeps the language if the texts of another one cannot be loaded', async () => {
  const i18n = await createI18n('de', 'en', (language) =>
    language === 'fr' ? Promise.reject(new Error('no network')) : load('de'),
  );
  await expect(i18n.changeTo('fr')).rejects.toThrow('no network');
  expect(i18n.get().language).toBe('de');
});

it('begins with the texts of the fallback if those of the language cannot be loaded, and fails without both', async () => {
  const without = (...missing: Language[]) =>
    createI18n('fr', 'en', (language) =>
      missing.includes(language) ? Promise.reject(new Error('no network')) : load(language),
    );
  expect((await without('fr')).get()).toMatchObject({ language: 'fr', texts: messages.en });
  await expect(without('fr', 'en')).rejects.toThrow('no network');
});

it('loads the fallback once if a text is missing, and then shows that text', async () => {
  const { title: _, ...home } = messages.de.home;
  const loadTexts = vi.fn<typeof load>(async (language) =>
    language === 'de' ? { ...messages.de, home: home as typeof messages.de.home } : messages[language],
  );
  const i18n = await createI18n('de', 'en', loadTexts);
  const shown = new Promise<void>((resolve) => i18n.subscribe(resolve));
  const before = i18n.get();
  expect([before.t('home.title'), before.t('home.title')]).toEqual(['', '']);
  await shown;
  expect(i18n.get()).not.toBe(before);
  expect(i18n.get().t('home.title')).toBe(messages.en.home.title);
  expect(i18n.get().t('home.files')).toBe(messages.de.home.files);
  expect(loadTexts.mock.calls.map(([language]) => language)).toEqual(['de', 'en']);
});

it('tries again to load the fallback if that failed', async () => {
  let failures = 0;
  const i18n = await createI18n('de', 'en', async (language) => {
    if (language === 'de') return {} as typeof messages.de;
    failures += 1;
    if (failures === 1) throw new Error('no network');
    return messages.en;
  });
  i18n.get().t('home.title');
  await expect
    .poll(() => {
      i18n.get().t('home.title');
      return failures;
    })
    .toBe(2);
  await expect.poll(() => i18n.get().t('home.title')).toBe(messages.en.home.title);
});
