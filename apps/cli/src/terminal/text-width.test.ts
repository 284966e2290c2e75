import { expect, it } from 'vitest';
import { padEnd, shorten, textWidth, wrapWords } from './text-width.ts';

it.each([
  ['abc', 3],
  ['日本', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['한', 2],
  ['👨‍👩‍👧', 2],
  ['', 0],
])('%s takes %i columns', (text, width) => expect(textWidth(text)).toBe(width));

it.each([
  ['short.txt', 20, 'short.txt'],
  ['a-very-long-name.tar.gz', 11, 'a-ver…ar.gz'],
  ['とても長い名前.txt', 10, 'とて….txt'],
])('%s in %i columns is %s', (text, width, expected) => {
  const shortened = shorten(text, width);
  expect(shortened).toBe(expected);
  expect(textWidth(shortened)).toBeLessThanOrEqual(width);
});

it('pads by columns', () => expect(padEnd('日本', 6)).toBe('日本  '));

it.each([
  ['These files are gone', 30, 'These files are gone'],
  ['These files are gone', 11, 'These files\nare gone'],
  ['See https://files.example.org/download now', 10, 'See\nhttps://files.example.org/download\nnow'],
  ['日本 日本', 8, '日本\n日本'],
  ['日本 日本', 9, '日本 日本'],
])('%s wraps at %i columns', (text, width, expected) => expect(wrapWords(text, width)).toBe(expected));
