import { describe, expect, it } from 'vitest';
import { formatKey, linkWithKey, maskKey, splitKeyFromLink } from './key.ts';

const bytes = Uint8Array.from({ length: 32 }, (_, i) => 255 - i * 5);
const text = formatKey(bytes);
const LINK = 'https://furoshiki.test/files/ja/download/AAAAAAAAAAAAAAAAAAAAAA';

describe('formatKey', () => {
  it('returns 44 characters of standard Base64', () => {
    expect(text).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  });

  it('refuses anything but 32 bytes', () => {
    expect(() => formatKey(new Uint8Array(31))).toThrowError('KEY_INVALID_LENGTH');
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
