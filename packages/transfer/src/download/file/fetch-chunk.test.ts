import { planOfChunks, sealChunk, sealedRange, toBase64 } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { key, randomBytes, subtle } from '../../../testing/rigs.ts';
import type { ObjectStorage } from '../../ports.ts';
import { crc32 } from 'node:zlib';
import { createMutex } from '../../concurrency/mutex.ts';
import { fetchChunk } from './fetch-chunk.ts';

const plain = randomBytes(6);
const file = { ...planOfChunks(70, 32), fileName: 'a', salt: toBase64(randomBytes(16)) };
const sealed = await sealChunk(subtle, key, randomBytes(12), file, 2, plain);

/** What is asked of the storage and answered by the work, where the storage answers `bytes`. */
async function fetchOne(
  bytes: Uint8Array<ArrayBuffer>,
  { isSealed = true, wantsCrc32 = false, signal = new AbortController().signal } = {},
) {
  const asked: number[] = [];
  const storage: Pick<ObjectStorage, 'getRange'> = {
    async getRange(_, start, end) {
      asked.push(start, end);
      // Its memory is used again, for better or worse.
      return bytes.slice();
    },
  };
  const range = isSealed ? sealedRange(file, 2) : { start: 64, end: 70, length: 6 };
  const chunk = {
    url: 'https://storage.test',
    range,
    encryption: isSealed ? { file, key, index: 2 } : undefined,
    wantsCrc32,
  };
  const ports = {
    subtle,
    storage,
    runExclusive: createMutex(),
    release: (used: ArrayBuffer) => void new Uint8Array(used).fill(0),
  };
  const fetched = await fetchChunk(ports, chunk, () => {}, signal).catch((thrown: unknown) => thrown);
  return { asked, fetched };
}

describe('fetchChunk', () => {
  it('asks for the sealed range and answers what it opens to', async () => {
    const { start, end } = sealedRange(file, 2);
    expect(await fetchOne(sealed)).toEqual({ asked: [start, end], fetched: { bytes: plain, crc32: 0 } });
  });

  it('sums up the plaintext where that is asked for', async () => {
    expect(await fetchOne(sealed, { wantsCrc32: true })).toMatchObject({ fetched: { crc32: crc32(plain) } });
  });

  it('answers an unencrypted chunk as it comes', async () => {
    expect(await fetchOne(plain, { isSealed: false })).toEqual({
      asked: [64, 70],
      fetched: { bytes: plain, crc32: 0 },
    });
  });

  it.each([
    ['too few bytes', sealed.slice(1)],
    ['too many bytes', new Uint8Array([...sealed, 0])],
  ])('takes %s for a broken connection, worth another try', async (_, bytes) => {
    expect(await fetchOne(bytes)).toMatchObject({ fetched: { code: 'NETWORK' } });
    expect(await fetchOne(bytes, { isSealed: false })).toMatchObject({ fetched: { code: 'NETWORK' } });
  });

  it('answers nothing that it cannot authenticate', async () => {
    const forged = sealed.with(20, sealed[20]! ^ 1);
    expect(await fetchOne(forged)).toMatchObject({ fetched: { code: 'DECRYPTION_FAILED' } });
  });

  it('answers nothing once it is cancelled', async () => {
    expect(await fetchOne(sealed, { signal: AbortSignal.abort() })).toMatchObject({ fetched: { code: 'CANCELLED' } });
  });
});
