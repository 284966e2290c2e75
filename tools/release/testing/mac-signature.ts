// Checks the signature of a program for macOS.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** As the kernel reads it: which pages do not have the hash that the signature says. */
export function wrongPages(signed: Buffer): number[] {
  let at = 32;
  for (; signed.readUInt32LE(at) !== 0x1d; at += signed.readUInt32LE(at + 4)) expect(at).toBeLessThan(16_384);
  const [start, length] = [signed.readUInt32LE(at + 8), signed.readUInt32LE(at + 12)];
  const blob = signed.subarray(start, start + length);
  expect([blob.readUInt32BE(0).toString(16), blob.readUInt32BE(4), blob.readUInt32BE(8)]).toEqual([
    'fade0cc0',
    length,
    1,
  ]);
  const directory = blob.subarray(blob.readUInt32BE(16));
  expect([directory.readUInt32BE(0).toString(16), directory.readUInt32BE(4)]).toEqual(['fade0c02', directory.length]);
  const [hashesAt, count, limit] = [16, 28, 32].map((offset) => directory.readUInt32BE(offset)) as [
    number,
    number,
    number,
  ];
  expect([limit, count]).toEqual([start, Math.ceil(start / 4096)]);
  expect(directory.length).toBe(hashesAt + 32 * count);
  return Array.from({ length: count }, (_, index) => index).filter((index) => {
    const page = signed.subarray(index * 4096, Math.min((index + 1) * 4096, limit));
    const hash = directory.subarray(hashesAt + 32 * index, hashesAt + 32 * (index + 1));
    return !createHash('sha256').update(page).digest().equals(hash);
  });
}
