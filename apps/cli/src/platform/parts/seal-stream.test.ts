import { webcrypto } from 'node:crypto';
import {
  type ChunkContext,
  deriveFileKey,
  fromBase64,
  importKey,
  MB,
  openChunk,
  packChunk,
  planOfChunks,
  sealChunk,
  type SealedFile,
  type Subtle,
  toBase64,
} from '@furoshiki/format';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors1 from '../../../../../packages/format/vectors/format-1.json' with { type: 'json' };
import vectors2 from '../../../../../packages/format/vectors/format-2.json' with { type: 'json' };
import { freeBytes, giveBack, takeBuffer } from './buffers.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { createOpener, sealStream } from './seal-stream.ts';

const subtle = webcrypto.subtle as Subtle;
const keyBytes = webcrypto.getRandomValues(new Uint8Array(32));
const webKey = await subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
const key = await nodeCrypto.subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']);

const fileOf = (format: 1 | 2, fileSize: number, chunkSize: number, contentSize = fileSize): SealedFile => {
  const plan = { fileSize, chunkSize, count: Math.ceil(fileSize / chunkSize), salt: 'c2FsdHNhbHRzYWx0c2FsdA==' };
  return format === 1 ? { ...plan, format, fileName: 'a.txt' } : { ...plan, format, contentSize };
};

const contexts: [string, ChunkContext, number][] = [
  ['format 1', { key, file: fileOf(1, 250, 100), index: 1 }, 100],
  ['the last chunk', { key, file: fileOf(2, 250, 100), index: 2 }, 50],
  ['a chunk with padding', { key, file: fileOf(2, 250, 100, 110), index: 1 }, 10],
  ['a chunk of padding alone', { key, file: fileOf(2, 250, 100, 100), index: 1 }, 0],
  ['more padding than a piece', { key, file: fileOf(2, 3 * MB, 3 * MB, 5), index: 0 }, 5],
];

const randomBytes = (length: number) => webcrypto.getRandomValues(new Uint8Array(length));

/** Cuts bytes into pieces, all in the same memory, as a file is read. */
async function* piecesOf(bytes: Uint8Array, size: number) {
  const memory = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
  }
}

async function sealed(context: ChunkContext, content: Uint8Array, size = 7, iv = randomBytes(12)) {
  const pieces: Uint8Array[] = [];
  for await (const piece of sealStream(context, iv, piecesOf(content, size))) pieces.push(Uint8Array.from(piece));
  return new Uint8Array(Buffer.concat(pieces));
}

function opened(context: ChunkContext, stored: Uint8Array, size = 7) {
  const opener = createOpener(context);
  for (let at = 0; at < stored.length; at += size) opener.add(stored.subarray(at, at + size));
  return opener.finish();
}

describe('the frozen vectors of the format', () => {
  const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array();
  async function expectVector(context: ChunkContext, iv: string, content: string, stored: string) {
    expect(toBase64(await sealed(context, bytesOf(content), 5, bytesOf(iv)))).toBe(stored);
    expect(toBase64(opened(context, bytesOf(stored), 5))).toBe(content);
  }

  it.each(vectors1.files)('seal and open each chunk of format 1: $fileName', async ({ chunks, ...facts }) => {
    const { gcm } = await importKey(nodeCrypto.subtle, bytesOf(vectors1.key));
    expect(chunks.length).toBeGreaterThan(0);
    for (const { index, iv, plain, sealed: stored } of chunks)
      await expectVector({ key: gcm, file: { ...facts, format: 1 }, index }, iv, plain, stored);
  });

  it.each(vectors2.files)('seal and open each chunk of format 2: $fileName', async (facts) => {
    const { salt, fileSize, chunkSize, details, chunks } = facts;
    const { size: contentSize } = JSON.parse(details.text) as { size: number };
    const file: SealedFile = { ...planOfChunks(fileSize, chunkSize), format: 2, salt, contentSize };
    const whole = await importKey(nodeCrypto.subtle, bytesOf(vectors2.key));
    const fileKey = await deriveFileKey(nodeCrypto.subtle, whole, vectors2.pageSalt, salt);
    expect(chunks.length).toBeGreaterThan(0);
    for (const { index, iv, content, sealed: stored } of chunks)
      await expectVector({ key: fileKey, file, index }, iv, content, stored);
  });
});

it.each(contexts)(
  'the format opens what was sealed as a stream, and the other way round: %s',
  async (_, context, length) => {
    const content = randomBytes(length);
    const withWebCrypto = { ...context, key: webKey };
    expect(await openChunk(subtle, withWebCrypto, await sealed(context, content))).toEqual(content);
    const stored = packChunk(await sealChunk(subtle, withWebCrypto, randomBytes(12), content));
    expect(opened(context, stored, 4096)).toEqual(content);
  },
);

it('pieces of any size give the same bytes', async () => {
  const context = { key, file: fileOf(2, 250, 100), index: 0 };
  const content = randomBytes(100);
  const stored = await sealed(context, content);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 140 }), async (size) => {
      expect(opened(context, stored, size)).toEqual(content);
      expect(opened(context, await sealed(context, content, size))).toEqual(content);
    }),
  );
});

it('does not open a chunk with one wrong bit, of another position, or of another file', async () => {
  const context = { key, file: fileOf(2, 250, 100), index: 0 };
  const stored = await sealed(context, randomBytes(100));
  for (const at of [0, 11, 12, 60, 111, 112, 127]) {
    const changed = stored.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => opened(context, changed)).toThrow('DECRYPTION_FAILED');
  }
  expect(() => opened({ ...context, index: 1 }, stored)).toThrow('DECRYPTION_FAILED');
  expect(() => opened({ ...context, file: fileOf(2, 251, 100) }, stored)).toThrow('DECRYPTION_FAILED');
  expect(() => opened(context, stored.subarray(0, 120))).toThrow('DECRYPTION_FAILED');
});

it('does not open a chunk whose padding is not zero', async () => {
  const stored = await sealed({ key, file: fileOf(2, 250, 100), index: 1 }, new Uint8Array(100).fill(1));
  expect(() => opened({ key, file: fileOf(2, 250, 100, 110), index: 1 }, stored)).toThrow('DECRYPTION_FAILED');
});

it('memory of an earlier chunk is used again, and shows nothing of it', async () => {
  const context = { key, file: fileOf(2, 250, 100, 110), index: 0 };
  const first = opened(context, await sealed(context, randomBytes(100)));
  giveBack(first.buffer);
  const content = randomBytes(10);
  const padded = { ...context, index: 1 };
  const second = opened(padded, await sealed(padded, content));
  expect([second.buffer === first.buffer, second]).toEqual([true, content]);
  expect(takeBuffer(100).buffer).not.toBe(first.buffer);
});

it('frees only memory that is not shared', () => {
  const whole = new Uint8Array(10);
  freeBytes(whole.subarray(0, 5));
  expect(whole).toHaveLength(10);
  freeBytes(whole);
  expect(whole).toHaveLength(0);
});
