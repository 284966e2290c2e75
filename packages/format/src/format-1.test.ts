import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../vectors/format-1.json' with { type: 'json' };
import { plainRange, planOfChunks } from './plan.ts';
import { fromBase64, toBase64 } from './primitives.ts';
import { chunkAad, openChunk, packChunk, sealChunk, type SealedFile } from './chunk.ts';
import { keyFits, makeKeyCheck } from './derived-keys.ts';
import { importKey } from './key.ts';

const { subtle } = globalThis.crypto;
const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array();
const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));
const key = await importKey(subtle, bytesOf(vectors.key));
const utf8 = new TextDecoder();
const open = (file: SealedFile, index: number, sealed: Uint8Array<ArrayBuffer>, given = key) =>
  openChunk(subtle, { key: given.gcm, file, index }, sealed);
const sealPacked = async (
  file: SealedFile,
  index: number,
  iv: Uint8Array<ArrayBuffer>,
  plain: Uint8Array<ArrayBuffer>,
) => packChunk(await sealChunk(subtle, { key: key.gcm, file, index }, iv, plain));

describe.each(vectors.files)('the frozen vectors of $fileName', (facts) => {
  const vector = { ...facts, format: 1 } as const;

  it.each(facts.chunks)('seal and open chunk $index', async ({ index, iv, aad, plain, sealed }) => {
    expect(utf8.decode(chunkAad(vector, index))).toBe(aad);
    expect(toBase64(await sealPacked(vector, index, bytesOf(iv), bytesOf(plain)))).toBe(sealed);
    expect(toBase64(await open(vector, index, bytesOf(sealed)))).toBe(plain);
  });

  it('make and accept the key check', async () => {
    const { iv, value } = vector.keyCheck;
    expect(await makeKeyCheck(subtle, key, bytesOf(iv), vector.salt)).toBe(value);
    expect(await keyFits(subtle, key, vector.salt, value)).toBe(true);
  });
});

describe('importKey', () => {
  it('returns a key that cannot be exported', () => {
    expect([key.gcm.extractable, key.hkdf.extractable]).toEqual([false, false]);
  });

  it('refuses a key of the wrong size', async () => {
    await expect(importKey(subtle, random(31))).rejects.toThrowError('KEY_IMPORT_FAILED');
  });
});

describe('a sealed chunk', () => {
  const file = { ...planOfChunks(100, 32), format: 1, fileName: 'report.pdf', salt: toBase64(random(16)) } as const;
  const plainOf = (index: number) => new Uint8Array(plainRange(file, index).length).fill(index + 1);
  const seal = (index: number) => sealPacked(file, index, random(12), plainOf(index));

  it('opens to what was sealed, for every size and index', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 64 }),
        async (fileSize, chunkSize) => {
          const any = { ...file, ...planOfChunks(fileSize, chunkSize) };
          const index = any.count - 1;
          const plain = random(plainRange(any, index).length);
          const sealed = await sealPacked(any, index, random(12), plain);
          expect(sealed.length).toBe(plain.length + 28);
          expect(await open(any, index, sealed)).toEqual(plain);
        },
      ),
    );
  });

  it.each([
    ['another name', { fileName: 'report.exe' }],
    ['another file size', { fileSize: 101 }],
    ['another number of chunks', { count: 5 }],
    ['another salt', { salt: toBase64(random(16)) }],
  ])('does not open under %s', async (_, lie) => {
    await expect(open({ ...file, ...lie }, 0, await seal(0))).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('does not open under another chunk size', async () => {
    // Both plans give the same length to chunk 0, so only the AAD distinguishes them.
    const short = { ...file, ...planOfChunks(20, 32) };
    const sealed = await sealPacked(short, 0, random(12), random(20));
    await expect(open({ ...short, chunkSize: 40 }, 0, sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('does not open at another index', async () => {
    await expect(open(file, 1, await seal(0))).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('does not open under another key', async () => {
    const other = await importKey(subtle, random(32));
    await expect(open(file, 0, await seal(0), other)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('does not open with any byte changed', async () => {
    const sealed = await seal(3);
    for (let at = 0; at < sealed.length; at += 1) {
      const bent = sealed.slice();
      bent[at] = (bent[at] ?? 0) ^ 1;
      await expect(open(file, 3, bent)).rejects.toThrowError('DECRYPTION_FAILED');
    }
  });

  it.each([0, 12, 13, 28, 31])('does not open when cut to %i bytes', async (length) => {
    const sealed = await seal(3);
    await expect(open(file, 3, sealed.slice(0, length))).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it.each([0, 11, 13])('is not made with an IV of %i bytes', async (length) => {
    await expect(sealPacked(file, 0, random(length), plainOf(0))).rejects.toThrowError('ENCRYPTION_FAILED');
  });

  it('is not made from a plaintext of the wrong length', async () => {
    await expect(sealPacked(file, 0, random(12), random(31))).rejects.toThrowError('ENCRYPTION_FAILED');
  });
});

describe('the key check', () => {
  const salt = toBase64(random(16));

  it('rejects another key, another salt and invalid text', async () => {
    const check = await makeKeyCheck(subtle, key, random(12), salt);
    const other = await importKey(subtle, random(32));
    expect(await keyFits(subtle, key, salt, check)).toBe(true);
    expect(await keyFits(subtle, other, salt, check)).toBe(false);
    expect(await keyFits(subtle, key, toBase64(random(16)), check)).toBe(false);
    expect(await keyFits(subtle, key, salt, 'not base64!')).toBe(false);
    expect(await keyFits(subtle, key, salt, check.slice(4))).toBe(false);
  });
});
