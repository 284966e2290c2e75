import { expect, it } from 'vitest';
import { downloadPath, placeOf } from './site-map.ts';

it.each([
  ['/', undefined, { name: 'home' }],
  ['/ja', 'ja', { name: 'home' }],
  ['/en/', 'en', { name: 'home' }],
  ['/download/abc', undefined, { name: 'download', pageID: 'abc' }],
  [downloadPath('en', 'abc'), 'en', { name: 'download', pageID: 'abc' }],
  ['/en/download', 'en', { name: 'not-found' }],
  ['/en/download/abc/more', 'en', { name: 'not-found' }],
  ['/xx', undefined, { name: 'not-found' }],
  ['/not-found', undefined, { name: 'not-found' }],
])('%s is in language %s the screen %j', (path, language, screen) => {
  expect(placeOf(path, ['en', 'ja'])).toEqual({ language, screen });
});
