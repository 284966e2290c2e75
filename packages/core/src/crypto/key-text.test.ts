import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKey, linkWithKey, maskKey, parseKey, splitKeyFromLink } from './key-text.ts';

const bytes = Uint8Array.from({ length: 32 }, (_, i) => 255 - i * 5);
const text = formatKey(bytes);
const LINK = 'https://furoshiki.test/files/ja/download/AAAAAAAAAAAAAAAAAAAAAA';
const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('formatKey', () => {
  it('returns 44 characters of standard Base64', () => {
    expect(text).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  });

  it('refuses anything but 32 bytes', () => {
    expect(() => formatKey(new Uint8Array(31))).toThrowError('KEY_INVALID_LENGTH');
  });
});

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
    ['with encoded spaces and line breaks', `%20${text.slice(0, 9)}%0D%0A${text.slice(9)}%20`],
  ])('reads a key %s', (_, typed) => {
    expect(parseKey(typed).bytes).toEqual(bytes);
  });

  it('reads back every key it wrote', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(parseKey(formatKey(key)).bytes).toEqual(Uint8Array.from(key));
        expect(parseKey(linkWithKey(LINK, formatKey(key))).bytes).toEqual(Uint8Array.from(key));
      }),
    );
  });

  it.each(['', '   ', '\n'])('refuses an empty key (%j)', (typed) => {
    expect(() => parseKey(typed)).toThrowError('KEY_EMPTY');
  });

  it.each(['ab$cd', `${text}!`, 'キー', `=${text}`, LINK])('refuses invalid characters (%s)', (typed) => {
    expect(() => parseKey(typed)).toThrowError('KEY_INVALID_CHARACTERS');
  });

  it.each([
    [0, 'A'],
    [31, formatKey(bytes).slice(0, 42)],
    [30, formatKey(bytes).slice(0, 41)],
    [33, `${text.slice(0, 43)}A`],
    [64, text.slice(0, 43) + text.slice(0, 43)],
  ])('reports %i bytes if the length is wrong', (byteCount, typed) => {
    expect(() => parseKey(typed)).toThrowError(
      expect.objectContaining({ code: 'KEY_INVALID_LENGTH', details: { byteCount } }),
    );
  });

  it('reports an unusual length and still reads the key', () => {
    expect(parseKey(text).unusualLength).toBe(false);
    expect(parseKey(`${text}=======`)).toEqual({ bytes, unusualLength: true });
  });
});

describe('splitKeyFromLink', () => {
  it.each([
    ['with a key', `${LINK}#key=${text}`, LINK, text, false],
    ['as it is shared', linkWithKey(LINK, text), LINK, text, false],
    ['that was encoded twice', `${LINK}#key=${encodeURIComponent(encodeURIComponent(text))}`, LINK, text, false],
    ['with a key behind %23, which is sent', `${LINK}%23key=${text}`, LINK, text, true],
    ['with a key behind %2523, which is sent', `${LINK}%2523key%253D${text}`, LINK, text, true],
    ['with a key behind %23 in a fragment', `${LINK}#top%23key=${text}`, `${LINK}#top`, text, false],
    ['without a key', LINK, LINK, undefined, false],
    ['with another fragment', `${LINK}#top`, `${LINK}#top`, undefined, false],
  ])('splits a link %s', (_, address, link, keyText, isKeySent) => {
    expect(splitKeyFromLink(address)).toEqual({ link, keyText, isKeySent });
  });
});

describe('maskKey', () => {
  it('shows four characters at each end', () => {
    expect(maskKey(text)).toBe(`${text.slice(0, 4)}${'•'.repeat(36)}${text.slice(-4)}`);
  });
});
