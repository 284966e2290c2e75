import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { combineCrc32, crc32 } from './crc32.ts';

const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes));

it('is the checksum that zlib computes', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
  );
});

it('is combined from the checksums of pieces', () => {
  fc.assert(
    fc.property(anyBytes, anyBytes, (a, b) => {
      expect(combineCrc32(crc32(a), crc32(b), b.length)).toBe(zlibCrc32(new Uint8Array([...a, ...b])));
    }),
  );
});

it('counts the length of a piece beyond 32 bits', () => {
  // 2^32 + 1 zero bytes, combined from pieces: too many to compute at once.
  const one = zlibCrc32(new Uint8Array(1));
  let whole = one;
  for (let exponent = 0; exponent < 32; exponent += 1) whole = combineCrc32(whole, whole, 2 ** exponent);
  expect(combineCrc32(one, whole, 2 ** 32)).toBe(combineCrc32(whole, one, 1));
});
