import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKey, linkWithKey } from './key.ts';
import { endsInWord, isWordShaped, joinWords, mayHaveWords, wordsIn } from './word-text.ts';

const KEY = formatKey(Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 5));
const LINK = 'https://furoshiki.test/en/download/AAAAAAAAAAAAAAAAAAAAAA';

describe('isWordShaped', () => {
  it.each([
    'legal winner',
    'LEGAL WINN THAN',
    'Legal, winner',
    'hause ',
    '1. legal 2. winner',
    '1) legal\n2) winner',
    'Key: legal winner',
    '“legal winner”',
    'あいこくしん',
    '가격',
    '的一是在',
    'l\u00E9gal ',
  ])('%j', (text) => {
    expect(isWordShaped(text)).toBe(true);
    expect(mayHaveWords(text)).toBe(true);
  });

  it.each([
    '',
    ' ',
    'Key: ',
    'hause',
    KEY,
    `${KEY} `,
    `Key: ${KEY}`,
    `${KEY.slice(0, 20)} ${KEY.slice(20)}`,
    linkWithKey(LINK, KEY),
    `${LINK}#key=legal winner thank`,
    'qJfD NRps',
    'a+b c',
  ])('not %j', (text) => {
    expect(isWordShaped(text)).toBe(false);
  });

  it('is no key in Base64, also not with white space in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(42), (bytes, at) => {
        const key = formatKey(bytes);
        expect(isWordShaped(`${key.slice(0, at)} ${key.slice(at)}`)).toBe(false);
        expect(mayHaveWords(linkWithKey(LINK, key))).toBe(false);
      }),
    );
  });
});

it('finds the words between numbers, punctuation and links, each Chinese character by itself', () => {
  expect(wordsIn(`1. legal, 2º “winner”\u3000thank\u00ADs ${LINK}`)).toEqual(['legal', 'winner', 'thanks']);
  expect(wordsIn('的一 是、在')).toEqual(['的', '一', '是', '在']);
  expect(wordsIn('')).toEqual([]);
});

it.each([
  ['house', true],
  ['house ', false],
  ['house,', false],
  ['1.', false],
])('whether a word is still typed in %j: %s', (text, isTyped) => {
  expect(endsInWord(text)).toBe(isTyped);
});

it('separates Japanese words by their own space', () => {
  expect(joinWords(['あい', 'うえ'])).toBe('あい\u3000うえ');
  expect(joinWords(['legal', 'winner'])).toBe('legal winner');
});
