import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKey, linkWithKey } from './key.ts';
import { hasUsualKeyLength, parseKey } from './parse-key.ts';

const bytes = Uint8Array.from({ length: 32 }, (_, i) => 255 - i * 5);
const text = formatKey(bytes);
const LINK = 'https://furoshiki.test/files/ja/download/AAAAAAAAAAAAAAAAAAAAAA';
const MESSAGE = `Here are some files for you.\n\nLink: ${LINK}\nKey: ${text}\n\nOpen the link and enter the key.`;
const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('parseKey', () => {
  it.each([
    ['as given', text],
    ['surrounded by white space', `  \t${text}\r\n`],
    ['broken over lines', `${text.slice(0, 20)}\n  ${text.slice(20)}`],
    ['with no-break and ideographic spaces', `\u00a0${text}\u3000`],
    ['in the URL-safe alphabet', text.replaceAll('+', '-').replaceAll('/', '_')],
    ['without padding', text.replace('=', '')],
    ['inside its link', linkWithKey(LINK, text)],
    ['inside its link, not encoded', `${LINK}#key=${text}`],
    ['inside its link, whose # a gateway has encoded', linkWithKey(LINK, text).replace('#', '%23')],
    ['inside its link, encoded once more', encodeURIComponent(linkWithKey(LINK, text))],
    ['inside its link, broken over lines', linkWithKey(LINK, text).replaceAll(/(.{30})/gu, '$1\r\n')],
    ['inside its link, with more behind it', `${linkWithKey(LINK, text)}&utm_source=mail`],
    ['as a fragment', `#key=${text}`],
    ['as an encoded fragment', `%23key%3D${encodeURIComponent(text)}`],
    ['behind a #', `#${text}`],
    ['behind a %23', `%23${encodeURIComponent(text)}`],
    ['with its label', `Key: ${text}`],
    ['with its label and nothing between', `鍵：${text}`],
    ['with its label, broken over lines', `Key: ${text.slice(0, 20)}\n  ${text.slice(20)}`],
    ['in quotes', `“${text}”`],
    ['in typed quotes, broken over lines', `"${text.slice(0, 20)}\n${text.slice(20)}"`],
    ['in a sentence', `It is ${text}, and please hurry!`],
    ['without padding in a sentence', `The key (${text.slice(0, 43)}) opens it.`],
    ['in a message', MESSAGE],
    ['in a message without its line breaks', MESSAGE.replaceAll('\n', '')],
    ['in a quoted message', MESSAGE.replaceAll(/^/gmu, '> ')],
    ['in a message with a link that has it', `Here you are:\n${linkWithKey(LINK, text)}\n\nIt is & stays yours.`],
    ['behind a link that has as many characters', `https://a.test/${'A'.repeat(43)} ${text}`],
    ['with encoded spaces and line breaks', `%20${text.slice(0, 9)}%0D%0A${text.slice(9)}%20`],
  ])('reads a key %s', (_, typed) => {
    expect(parseKey(typed)).toEqual(bytes);
  });

  it('reads back every key it wrote', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(parseKey(formatKey(key))).toEqual(Uint8Array.from(key));
        expect(parseKey(linkWithKey(LINK, formatKey(key)))).toEqual(Uint8Array.from(key));
      }),
    );
  });

  it.each(['', '   ', '\n'])('refuses an empty key (%j)', (typed) => {
    expect(() => parseKey(typed)).toThrowError('KEY_EMPTY');
  });

  it.each(['ab$cd', `${text.slice(0, 40)}!!!`, 'キー', LINK, `Link: ${LINK}`, `${text}${' '.repeat(10_000)}`])(
    'refuses invalid characters (%s)',
    (typed) => {
      expect(() => parseKey(typed)).toThrowError('KEY_INVALID_CHARACTERS');
    },
  );

  it.each([
    [0, 'A'],
    [31, formatKey(bytes).slice(0, 42)],
    [30, formatKey(bytes).slice(0, 41)],
    [33, `${text.slice(0, 43)}A`],
    [64, text.slice(0, 43) + text.slice(0, 43)],
    [31, `Key: ${text.slice(0, 42)}`],
    [31, `“${text.slice(0, 42)}”`],
    [31, linkWithKey(LINK, text.slice(0, 42))],
  ])('reports %i bytes if the length is wrong', (byteCount, typed) => {
    expect(() => parseKey(typed)).toThrowError(
      expect.objectContaining({ code: 'KEY_INVALID_LENGTH', details: { byteCount } }),
    );
  });
});

describe('hasUsualKeyLength', () => {
  it.each([
    [39, false],
    [40, true],
    [50, true],
    [51, false],
  ])('of %i characters: %s', (length, isUsual) => {
    expect(hasUsualKeyLength(` ${'A'.repeat(length)}\n`)).toBe(isUsual);
  });
});
