import { expect, it } from 'vitest';
import { messages } from './messages.ts';
import { createTranslate } from './translate.ts';

const TEXTS = {
  plain: 'a',
  group: { inner: 'b {{name}} {{name}}' },
  files_one: '{{count, number}} file',
  files_other: '{{count, number}} files of {{total}}',
};
const of = (language: string, texts: object = TEXTS) => createTranslate<string>(language, texts);

it.each([
  ['plain', {}, 'a'],
  ['group.inner', { name: '$& {{name}}' }, 'b $& {{name}} $& {{name}}'],
  ['group.inner', {}, 'b  '],
  ['files', { count: 1 }, '1 file'],
  ['files', { count: 12_345, total: 12_345 }, '12,345 files of 12345'],
  ['group', {}, 'group'],
  ['plain.length', {}, 'plain.length'],
  ['constructor', {}, 'constructor'],
])('%s with %j is %j', (name, values, text) => {
  expect(of('en')(name, values)).toBe(text);
});

it('chooses the plural form and the number format of the language', () => {
  const french = of('fr', { files_one: '{{count, number}} fichier', files_other: '{{count, number}} fichiers' });
  expect([0, 1, 2, 1500].map((count) => french('files', { count }))).toEqual([
    '0 fichier',
    '1 fichier',
    '2 fichiers',
    '1\u202f500 fichiers',
  ]);
  expect(of('ja', { files_other: '{{count, number}} 件' })('files', { count: 1 })).toBe('1 件');
});

it('asks for a text that is missing', () => {
  const english = of('en', { other: 'c {{name}}' });
  expect(createTranslate<string>('de', TEXTS, english)('other', { name: 'x' })).toBe('c x');
});

it('finds the real texts', () => {
  expect(createTranslate('de', messages.de)('home.count', { count: 2 })).toBe('2 Dateien');
});
