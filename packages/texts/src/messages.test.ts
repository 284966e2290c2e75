import { API_ERROR_STATUS, DOWNLOAD_CATEGORIES, UPLOAD_CATEGORIES } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { languages } from './languages.ts';
import { cliMessages, messages } from './messages.ts';

/** Returns all texts of a language by their dotted keys. */
function flatten(value: unknown, prefix = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[prefix, value]]);
  return new Map(
    Object.entries(value as Record<string, unknown>).flatMap(([key, inner]) => [
      ...flatten(inner, prefix === '' ? key : `${prefix}.${key}`),
    ]),
  );
}

/** `{{count, number}}` is written as in the language. */
const PLACEHOLDER = /\{\{\w+(?:, number)?\}\}/gu;
const placeholders = (text: string) => [...text.matchAll(PLACEHOLDER)].map(String).toSorted();
const PLURAL = /_(zero|one|two|few|many|other)$/u;

/** Names, and texts that are the same in more than one language. */
const SAME = new Set([
  'Link: ',
  '© Furoshiki',
  'Furoshiki',
  'FAQ',
  'Link',
  'Name',
  'Contact',
  'Notifications',
  'Message',
  'Total: {{size}}',
]);
/** The text contains only placeholders and symbols, so there is nothing to translate. */
const isWordless = (text: string) => !/\p{L}{2}/u.test(text.replaceAll(PLACEHOLDER, ''));

describe.each([
  { client: 'screens', all: messages },
  { client: 'command line', all: cliMessages },
])('$client', ({ all }) => {
  const english = flatten(all.en);
  const plurals = new Set([...english.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, '')));

  describe.each(languages)('%s', (language) => {
    const texts = flatten(all[language]);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;

    it('has every English key, and its own plural forms', () => {
      const pluralKeys = [...plurals].flatMap((key) => forms.map((form) => `${key}_${form}`));
      expect([...texts.keys()].toSorted()).toEqual([...new Set([...english.keys(), ...pluralKeys])].toSorted());
    });

    it('keeps every placeholder and has no empty text', () => {
      for (const [key, text] of texts) {
        expect(text.trim(), key).not.toBe('');
        const pattern = english.get(key) ?? english.get(key.replace(PLURAL, '_other')) ?? '';
        expect(placeholders(text), key).toEqual(placeholders(pattern));
        expect(text.replaceAll(PLACEHOLDER, ''), key).not.toMatch(/[{}]/u);
      }
    });

    if (language === 'en') return;
    it('has no untranslated text', () => {
      const untranslated = [...texts].filter(
        ([key, text]) => text === english.get(key) && !SAME.has(text) && !isWordless(text),
      );
      expect(untranslated).toEqual([]);
    });
  });
});

describe.each(languages)('screens, %s', (language) => {
  it('has a text for every error of the server and of the screens', () => {
    expect(Object.keys(messages[language].apiErrors).toSorted()).toEqual(Object.keys(API_ERROR_STATUS).toSorted());
    expect(Object.keys(messages[language].uploadErrors)).toEqual([...UPLOAD_CATEGORIES]);
    expect(Object.keys(messages[language].downloadErrors)).toEqual([...DOWNLOAD_CATEGORIES]);
  });

  it('has at least twelve different waiting messages and twelve stopping messages', () => {
    for (const group of [messages[language].progress.fun, messages[language].progress.stopping])
      expect(new Set(Object.values(group)).size).toBeGreaterThanOrEqual(12);
  });
});
