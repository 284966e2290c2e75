import { expect, it } from 'vitest';
import { padEnd, shorten, textWidth } from './text-width.ts';

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
