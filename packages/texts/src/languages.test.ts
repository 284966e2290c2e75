import { expect, it } from 'vitest';
import { languages, matchLanguage, preferredLanguage } from './languages.ts';

it('there are the nine languages of the specification', () => {
  expect(languages.toSorted()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'ko', 'pt', 'zh-CN', 'zh-TW']);
});

it.each([
  ['en', 'en'],
  ['EN-gb', 'en'],
  [' ja-JP', 'ja'],
  ['pt-BR', 'pt'],
  ['zh', 'zh-CN'],
  ['zh-cn', 'zh-CN'],
  ['zh-Hans-TW', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-Hant', 'zh-TW'],
  ['zh-hant-HK', 'zh-TW'],
  ['zh-HK', 'zh-TW'],
  ['zh-MO', 'zh-TW'],
  ['ZH-tw', 'zh-TW'],
  ['zhx', undefined],
  ['english', undefined],
  ['xx', undefined],
  ['*', undefined],
])('%j matches %s', (code, language) => {
  expect(matchLanguage(code)).toBe(language);
});

it.each(languages)('matches its own code %s in any case', (language) => {
  for (const code of [language, language.toLowerCase(), language.toUpperCase()]) {
    expect(matchLanguage(code)).toBe(language);
  }
});

it.each([
  [undefined, 'ja'],
  ['', 'ja'],
  ['xx,*', 'ja'],
  ['en', 'en'],
  ['xx,en-US;q=0.9,ja;q=0.8', 'en'],
  ['en;q=0.1,ja;q=0.2', 'ja'],
  ['en;q=0, ja;q=0.1', 'ja'],
  ['en;q=nonsense,ja;q=0.1', 'ja'],
  ['ja,en', 'ja'],
])('Accept-Language %j selects %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
