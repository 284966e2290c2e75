import { describe, expect, it } from 'vitest';
import { linkOf, parseLink, parseServer } from './link.ts';

const ID = '8kCD_abc-defGHIjklMN01';
const KEY = '+/4MYo388cJ1D8casWqtfxtqENdSTLVreQANsGTgw2E=';

describe('a download link', () => {
  it.each([
    [`https://files.example.org/download/${ID}`, 'https://files.example.org'],
    [`https://files.example.org/zh-TW/download/${ID}/`, 'https://files.example.org'],
    [`http://localhost:3000/en/download/${ID}?utm=1`, 'http://localhost:3000'],
    [`https://example.org/our/files/de/download/${ID}`, 'https://example.org/our/files'],
    [`https://example.org/download/download/${ID}`, 'https://example.org/download'],
    [`  https://files.example.org/download/${ID}\n`, 'https://files.example.org'],
  ])('%s is of the server %s', (text, siteUrl) => {
    expect(parseLink(text)).toEqual({ siteUrl, pageId: ID, keyText: undefined });
    expect(parseLink(linkOf(siteUrl, ID))).toEqual({ siteUrl, pageId: ID, keyText: undefined });
  });

  it('may contain the key', () => {
    const { keyText } = parseLink(`https://files.example.org/download/${ID}#key=${encodeURIComponent(KEY)}`);
    expect(keyText).toBe(KEY);
  });

  it.each(['#\nkey=', '#key\r\n=', '%23\nkey%3D'])(
    'may be broken by a mail program within the key: %j',
    (separator) => {
      const link = `https://files.example.org/download/${ID}${separator}${encodeURIComponent(KEY)}`;
      expect(parseLink(link)).toEqual({ siteUrl: 'https://files.example.org', pageId: ID, keyText: KEY });
    },
  );

  it.each([
    '',
    ID,
    'https://files.example.org',
    'https://files.example.org/download/',
    'https://files.example.org/download/short',
    `https://files.example.org/download/${ID}/more`,
    `ftp://files.example.org/download/${ID}`,
    `javascript:alert(1)//download/${ID}`,
  ])('is not %j', (text) => {
    expect(() => parseLink(text)).toThrow('link.invalid');
  });
});

it.each([
  ['https://files.example.org/', 'https://files.example.org'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['https://example.org/our/files/?a#b', 'https://example.org/our/files'],
])('the server %s is stored as %s', (text, siteUrl) => {
  expect(parseServer(text)).toBe(siteUrl);
});

it.each(['', 'files.example.org', 'ftp://files.example.org'])('%j is not a server', (text) => {
  expect(() => parseServer(text)).toThrow('server.invalid');
});
