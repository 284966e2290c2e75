import { expect, it } from 'vitest';
import { downloadPath, LISTED_SCREENS, parsePath, pathInLanguage, screenPath } from './site-map.ts';

it.each([
  ['/', undefined, { name: 'home' }],
  ['/ja', 'ja', { name: 'home' }],
  ['/en/', 'en', { name: 'home' }],
  ['/download/abc', undefined, { name: 'download', pageId: 'abc' }],
  [downloadPath('en', 'abc'), 'en', { name: 'download', pageId: 'abc' }],
  ['/en/download', 'en', { name: 'download', pageId: '' }],
  ['/en/download/abc/more', 'en', { name: 'not-found' }],
  ['/EN/faq', 'en', { name: 'content', page: 'faq' }],
  ['/faq', undefined, { name: 'content', page: 'faq' }],
  ['/ja/contact', 'ja', { name: 'contact' }],
  ['/sign-in', undefined, { name: 'sign-in' }],
  ['/ja/sign-in', 'ja', { name: 'sign-in' }],
  ['/sign-in/more', undefined, { name: 'not-found' }],
  ['/ja/faq/more', 'ja', { name: 'not-found' }],
  ['/xx/faq', undefined, { name: 'not-found' }],
  ['/xx', undefined, { name: 'not-found' }],
  ['/not-found', undefined, { name: 'not-found' }],
])('%s is in language %s the screen %j', (path, language, screen) => {
  expect(parsePath(path, ['en', 'ja'])).toEqual({ language, screen });
});

it.each(LISTED_SCREENS)('%j is found at its path, with and without a language', (screen) => {
  expect(parsePath(screenPath(screen, 'en'), ['en'])).toEqual({ language: 'en', screen });
  expect(parsePath(screenPath(screen), ['en'])).toEqual({ language: undefined, screen });
});

it.each([
  ['/', '/ja'],
  ['/en', '/ja'],
  ['/faq', '/ja/faq'],
  ['/en/download/abc', '/ja/download/abc'],
  ['/en/no/such/page', '/ja/no/such/page'],
  ['/no/such/page', '/ja/no/such/page'],
])('%s is %s in Japanese', (path, expected) => {
  expect(pathInLanguage(path, 'ja', ['en', 'ja'])).toBe(expected);
});
