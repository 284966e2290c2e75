import { expect, it } from 'vitest';
import { isText, lookAt } from './look-at.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const STEP_BYTES = 1024 * 1024;

it.each([
  ['plain words', encode('hello'), true],
  ['a script', encode('<script>alert(1)</script>'), true],
  ['every script of the world', encode('Grüße, 日本語, 🎁'), true],
  ['a byte order mark', encode('\u{FEFF}hello'), true],
  ['a character across two steps', encode(`${'a'.repeat(STEP_BYTES - 1)}🎁`), true],
  ['a zero byte', encode('he\u{0}llo'), false],
  ['a zero byte far away', encode(`${'a'.repeat(STEP_BYTES)}\u{0}`), false],
  ['a byte that is no UTF-8', Uint8Array.of(0x61, 0xff), false],
  ['a character that is cut off', encode('🎁').slice(0, 3), false],
  ['an overlong character', Uint8Array.of(0xc0, 0xaf), false],
])('%s: text or not', (_, bytes, is) => {
  expect(isText(bytes)).toBe(is);
});

it('shows what looks like a page as text, and what begins like a picture never as text', async () => {
  const page = encode('<!doctype html><script>alert(1)</script>');
  expect(await lookAt(page)).toEqual({ kind: 'text', bytes: page });
  // Valid UTF-8 and a script, with the start of a GIF whose announced size is 10799 by 10799.
  expect(await lookAt(encode('GIF89a/*/*/=1;alert(1);,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa*/'))).not.toMatchObject({
    kind: 'picture',
  });
});
