import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKey, maskKey, parseKey } from './key-text.ts';

const bytes = Uint8Array.from({ length: 32 }, (_, i) => 255 - i * 5);
const text = formatKey(bytes);
const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('formatKey', () => {
  it('gives 44 characters of standard Base64', () => {
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
  ])('reads a key %s', (_, typed) => {
    expect(parseKey(typed).bytes).toEqual(bytes);
  });

  it('reads back every key it wrote', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(parseKey(formatKey(key)).bytes).toEqual(Uint8Array.from(key));
      }),
    );
  });

  it.each(['', '   ', '\n'])('refuses an empty key (%j)', (typed) => {
    expect(() => parseKey(typed)).toThrowError('KEY_EMPTY');
  });

  it.each(['ab$cd', `${text}!`, 'キー', `=${text}`])('refuses invalid characters (%s)', (typed) => {
    expect(() => parseKey(typed)).toThrowError('KEY_INVALID_CHARACTERS');
  });

  it.each([
    [0, 'A'],
    [31, formatKey(bytes).slice(0, 42)],
    [30, formatKey(bytes).slice(0, 41)],
    [33, `${text.slice(0, 43)}A`],
    [64, text.slice(0, 43) + text.slice(0, 43)],
  ])('reports %i bytes where the length is wrong', (byteCount, typed) => {
    expect(() => parseKey(typed)).toThrowError(
      expect.objectContaining({ code: 'KEY_INVALID_LENGTH', details: { byteCount } }),
    );
  });

  it('marks an unusual length and still reads the key', () => {
    expect(parseKey(text).unusualLength).toBe(false);
    expect(parseKey(`${text}=======`)).toEqual({ bytes, unusualLength: true });
  });
});

describe('maskKey', () => {
  it('leaves four characters at each end', () => {
    expect(maskKey(text)).toBe(`${text.slice(0, 4)}${'•'.repeat(36)}${text.slice(-4)}`);
  });
});
