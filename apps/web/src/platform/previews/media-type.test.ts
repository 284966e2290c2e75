import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

const ascii = (text: string) => [...new TextEncoder().encode(text)];
const REST = Array<number>(20).fill(0);

it.each<[string, number[], string | undefined]>([
  ['MP4', [0, 0, 0, 24, ...ascii('ftypisom')], 'video/mp4'],
  ['QuickTime', [0, 0, 0, 24, ...ascii('ftypqt  ')], 'video/mp4'],
  ['sound in MP4', [0, 0, 0, 24, ...ascii('ftypM4A ')], 'audio/mp4'],
  ['AVIF', [0, 0, 0, 24, ...ascii('ftypavif')], undefined],
  ['HEIC', [0, 0, 0, 24, ...ascii('ftypheic')], undefined],
  ['WebM', [0x1a, 0x45, 0xdf, 0xa3], 'video/webm'],
  ['Ogg', ascii('OggS'), 'audio/ogg'],
  ['FLAC', ascii('fLaC'), 'audio/flac'],
  ['WAV', ascii('RIFF....WAVE'), 'audio/wav'],
  ['WebP', ascii('RIFF....WEBP'), undefined],
  ['MP3 with a tag', ascii('ID3'), 'audio/mpeg'],
  ['MP3', [0xff, 0xfb, 0x90, 0x44], 'audio/mpeg'],
  ['AAC', [0xff, 0xf1, 0x50, 0x80], 'audio/mpeg'],
  ['JPEG', [0xff, 0xd8, 0xff, 0xe0], undefined],
  ['text in UTF-16', [0xff, 0xfe, 0x3c, 0], undefined],
  ['HTML', ascii('<!doctype html>'), undefined],
  ['SVG', ascii('<svg xmlns="http:'), undefined],
  ['PDF', ascii('%PDF-1.7'), undefined],
])('%s', (_, start, expected) => {
  expect(mediaTypeOf(Uint8Array.from([...start, ...REST]))).toBe(expected);
});

it('returns a type of a closed list for any bytes, or none', () => {
  const types = new Set([
    'video/mp4',
    'audio/mp4',
    'video/webm',
    'audio/ogg',
    'audio/flac',
    'audio/wav',
    'audio/mpeg',
    undefined,
  ]);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => types.has(mediaTypeOf(bytes))));
  expect(mediaTypeOf(Uint8Array.from(ascii('OggS')))).toBeUndefined();
});
