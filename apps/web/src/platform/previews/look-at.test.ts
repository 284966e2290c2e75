import { expect, it, vi } from 'vitest';
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

/** The header of a GIF of these sides, with its first frame. */
const gifOf = (side: number) => {
  const [low, high] = [side % 256, Math.floor(side / 256)] as const;
  const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0] as const;
  return Uint8Array.of(...encode('GIF89a'), low, high, low, high, 0, 0, 0, ...frame);
};

it('decodes no picture that announces too many pixels, and makes one smaller that a phone could not show', async () => {
  const decode = vi.fn<(source: Blob | { width: number }, options?: object) => Promise<object>>(
    async (source, options) =>
      source instanceof Blob ? { width: 9000, height: 4500, close: () => undefined } : { options },
  );
  vi.stubGlobal('createImageBitmap', decode);
  expect(await lookAt(gifOf(10_001))).toEqual({ kind: 'other' });
  expect(decode).not.toHaveBeenCalled();
  expect(await lookAt(gifOf(10_000))).toMatchObject({
    kind: 'picture',
    type: 'image/gif',
    bitmap: { options: { resizeWidth: 4096, resizeHeight: 2048 } },
  });
});

it('does not show a picture that cannot be decoded', async () => {
  vi.stubGlobal('createImageBitmap', async () => Promise.reject(new DOMException('', 'InvalidStateError')));
  expect(await lookAt(gifOf(1))).toEqual({ kind: 'other' });
});

it('shows what looks like a page as text, and what begins like a picture never as text', async () => {
  const page = encode('<!doctype html><script>alert(1)</script>');
  expect(await lookAt(page)).toEqual({ kind: 'text', bytes: page });
  // Valid UTF-8 and a script, with the start of a GIF whose announced size is 10799 by 10799.
  expect(await lookAt(encode('GIF89a/*/*/=1;alert(1);,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa*/'))).not.toMatchObject({
    kind: 'picture',
  });
});
