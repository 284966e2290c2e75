import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooLarge } from './look-at.ts';
import { readPictureHeader } from './picture-header.ts';

const ascii = (text: string) => [...new TextEncoder().encode(text)];
const be16 = (value: number) => [value >> 8, value & 255];
const le16 = (value: number) => be16(value).toReversed();
const be32 = (value: number) => [...be16(Math.floor(value / 65_536)), ...be16(value % 65_536)];
const le24 = (value: number) => [value & 255, (value >> 8) & 255, value >> 16];
const bytes = (...parts: (number | number[])[]) => Uint8Array.from(parts.flat());

const png = (width: number, height: number, chunk = 'IHDR') =>
  bytes(0x89, ascii('PNG\r\n'), 0x1a, 0x0a, be32(13), ascii(chunk), be32(width), be32(height), 8, 6, 0, 0, 0);
const segment = (marker: number, content: number[]) => [0xff, marker, ...be16(content.length + 2), ...content];
const frame = (width: number, height: number, marker = 0xc0) =>
  segment(marker, [8, ...be16(height), ...be16(width), 1, 1, 0x11, 0]);
const SCAN = segment(0xda, [1, 1, 0, 0, 63, 0]);
const jpeg = (...parts: number[][]) => bytes(0xff, 0xd8, ...parts, SCAN);
const screen = (width: number, height: number, flags = 0) => [
  ...ascii('GIF89a'),
  ...le16(width),
  ...le16(height),
  flags,
  0,
  0,
];
const gifFrame = (left: number, top: number, width: number, height: number) => [
  0x2c,
  ...[left, top, width, height].flatMap(le16),
  0,
  2,
  0,
];
const riff = (...chunk: number[]) =>
  bytes(ascii('RIFF'), [0, 0, 0, 0], ascii('WEBP'), chunk, Array<number>(20).fill(0));
const vp8x = (width: number, height: number) =>
  riff(...ascii('VP8X'), 10, 0, 0, 0, 0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1));

const NO_HEADER = { width: 1, height: 1 };

describe('a picture', () => {
  it.each([
    ['PNG', png(640, 480), 'image/png'],
    ['JPEG', jpeg(frame(640, 480)), 'image/jpeg'],
    ['progressive JPEG', jpeg(frame(640, 480, 0xc2)), 'image/jpeg'],
    [
      'JPEG after tables, fill bytes and rubbish',
      jpeg(segment(0xc4, [1]), [3, 0xff, 0, 0xff, 0xff], frame(640, 480)),
      'image/jpeg',
    ],
    ['GIF', bytes(screen(640, 480), gifFrame(0, 0, 640, 480)), 'image/gif'],
    [
      'GIF with colours and an extension',
      bytes(screen(640, 480, 0x80), Array<number>(6).fill(1), [0x21, 0xf9, 1, 9, 0], gifFrame(0, 0, 1, 1)),
      'image/gif',
    ],
    ['WebP with a canvas', vp8x(640, 480), 'image/webp'],
    [
      'lossy WebP',
      riff(...ascii('VP8 '), 0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, ...le16(640), ...le16(480)),
      'image/webp',
    ],
    ['lossless WebP', riff(...ascii('VP8L'), 0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0x00), 'image/webp'],
  ])('%s has its type and size', (_, content, type) => {
    expect(readPictureHeader(content)).toEqual({ type, width: 640, height: 480 });
  });

  it.each([
    [
      'a frame of a GIF that is larger than its screen',
      bytes(screen(1, 1), gifFrame(10, 20, 65_000, 60_000)),
      65_010,
      60_020,
    ],
    ['the second of two frames of a JPEG', jpeg(frame(1, 1), frame(65_000, 60_000)), 65_000, 60_000],
    ['the first of two frames of a JPEG', jpeg(frame(65_000, 60_000), frame(1, 1)), 65_000, 60_000],
    [
      'a picture after a thumbnail',
      jpeg(segment(0xe1, [0xff, 0xd8, ...frame(1, 1), 0xff, 0xd9]), frame(65_000, 60_000)),
      65_000,
      60_000,
    ],
    ['a PNG of a few bytes', png(4_000_000_000, 4_000_000_000), 4_000_000_000, 4_000_000_000],
  ])('%s has the largest size that a decoder could use', (_, content, width, height) => {
    const header = readPictureHeader(content);
    expect(header).toMatchObject({ width, height });
    expect(isTooLarge(header!)).toBe(true);
  });

  it.each([
    ['no bytes', bytes()],
    ['the start of a PNG', png(640, 480).slice(0, 20)],
    ['a PNG whose first chunk is another', png(640, 480, 'iCCP')],
    ['a PNG without a width', png(0, 480)],
    ['a JPEG without a frame', jpeg(segment(0xe0, [1, 2]))],
    ['a JPEG without a height', jpeg(frame(640, 0))],
    ['a JPEG without a scan', bytes(0xff, 0xd8, frame(640, 480))],
    ['a JPEG whose frame comes after its scan', bytes([...jpeg()], frame(640, 480))],
    ['a GIF without a frame', bytes(screen(640, 480), 0x3b, Array<number>(20).fill(0))],
    ['a GIF of an unknown block', bytes(screen(640, 480), 7, gifFrame(0, 0, 1, 1))],
    ['a GIF whose colours are cut off', bytes(screen(640, 480, 0x87), gifFrame(0, 0, 1, 1))],
    ['a WebP of an unknown chunk', riff(...ascii('ALPH'), 0, 0, 0, 0)],
    ['a script', bytes(ascii('<script>alert(1)</script>'))],
    ['an SVG', bytes(ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'))],
  ])('is not %s', (_, content) => {
    expect(readPictureHeader(content)).toBeUndefined();
  });

  it('is found or refused in any bytes, without an error', () => {
    const starts = [png(1, 1), jpeg(frame(1, 1)), bytes(screen(1, 1, 0x80)), vp8x(1, 1), bytes()];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.nat(30), fc.uint8Array({ maxLength: 300 }), (start, cut, rest) => {
        const { width, height } = readPictureHeader(Uint8Array.of(...start.slice(0, cut), ...rest)) ?? NO_HEADER;
        expect(Math.min(width, height)).toBeGreaterThan(0);
      }),
    );
  });
});

it.each([
  [10_000, 10_000, false],
  [10_001, 10_000, true],
  [30_000, 1, false],
  [1, 30_001, true],
])('%i by %i pixels are too large: %s', (width, height, isRefused) => {
  expect(isTooLarge({ width, height })).toBe(isRefused);
});
