import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textPart } from './text-parts.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function partsOf(text: string, maxBytes: number): string[] {
  const bytes = encode(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { text: part, end } = textPart(bytes, at, maxBytes);
    parts.push(part);
    at = end;
  }
  return parts;
}

it.each([
  ['ends after a line', 'one\ntwo\nthree', 6, ['one\n', 'two\n', 'three']],
  ['cuts a line that is too long', 'abcdefgh', 3, ['abc', 'def', 'gh']],
  ['is not much shorter because a long line follows', 'a\nbcdefghij', 6, ['a\nbcde', 'fghij']],
  ['never cuts a character', 'a🎁b🎁', 4, ['a', '🎁', 'b', '🎁']],
  ['is the whole of a short text', 'one\ntwo', 100, ['one\ntwo']],
])('a part %s', (_, text, maxBytes, parts) => {
  expect(partsOf(text, maxBytes)).toEqual(parts);
});

it('a byte order mark is not shown, and the same character later is kept', () => {
  expect(partsOf('\u{FEFF}a\n\u{FEFF}b', 5)).toEqual(['a\n', '\u{FEFF}b']);
});

it('all parts together are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 4, max: 50 }), (text, maxBytes) => {
      const clean = `a${text.toWellFormed()}`;
      expect(partsOf(clean, maxBytes).join('')).toBe(clean);
    }),
  );
});
