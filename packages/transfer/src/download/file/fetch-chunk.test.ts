import { packChunk, planOfChunks, sealChunk, sealedRange, toBase64 } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { key, randomBytes, subtle } from '../../../testing/rigs.ts';
import type { ObjectStorage } from '../../ports.ts';
import { crc32 } from 'node:zlib';
import { createChunkFetcher } from './fetch-chunk.ts';

const plain = randomBytes(6);
const file = { ...planOfChunks(70, 32), format: 1, fileName: 'a', salt: toBase64(randomBytes(16)) } as const;
const encryption = { key: key.gcm, file, index: 2 };
const sealed = packChunk(await sealChunk(subtle, encryption, randomBytes(12), plain));

interface Fetching {
  isSealed?: boolean;
  wantsCrc32?: boolean;
  signal?: AbortSignal;
  received?: Uint8Array<ArrayBuffer>;
}

/** Returns the range that was requested and the result, for a storage that returns `bytes`. */
async function fetchOne(
  bytes: Uint8Array<ArrayBuffer>,
  { isSealed = true, wantsCrc32 = false, signal = new AbortController().signal, received }: Fetching = {},
) {
  const asked: number[] = [];
  const storage: Pick<ObjectStorage, 'getRange'> = {
    async getRange(_, start, end) {
      asked.push(start, end);
      // A copy, because `release` overwrites it.
      return bytes.slice();
    },
  };
  const range = isSealed ? sealedRange(file, 2) : { start: 64, end: 70, length: 6 };
  const chunk = {
    url: 'https://storage.test',
    range,
    encryption: isSealed ? encryption : undefined,
    wantsCrc32,
    received,
  };
  const crypto = { subtle, release: (used: ArrayBuffer) => void new Uint8Array(used).fill(0) };
  const fetcher = createChunkFetcher({ crypto, storage });
  const fetched = await fetcher.fetch(chunk, () => {}, signal).catch((thrown: unknown) => thrown);
  return { asked, fetched };
}

describe('createChunkFetcher', () => {
  it('fetches the sealed range and returns its plaintext', async () => {
    const { start, end } = sealedRange(file, 2);
    expect(await fetchOne(sealed)).toEqual({ asked: [start, end], fetched: { bytes: plain, crc32: 0 } });
  });

  it('computes the checksum of the plaintext on request', async () => {
    expect(await fetchOne(sealed, { wantsCrc32: true })).toMatchObject({ fetched: { crc32: crc32(plain) } });
  });

  it('returns an unencrypted chunk as it is', async () => {
    expect(await fetchOne(plain, { isSealed: false })).toEqual({
      asked: [64, 70],
      fetched: { bytes: plain, crc32: 0 },
    });
  });

  it.each([
    ['no bytes', new Uint8Array()],
    ['too many bytes', new Uint8Array([...sealed, 0])],
  ])('treats %s as a broken connection, which is retried', async (_, bytes) => {
    expect(await fetchOne(bytes)).toMatchObject({ fetched: { code: 'NETWORK' } });
    expect(await fetchOne(bytes, { isSealed: false })).toMatchObject({ fetched: { code: 'NETWORK' } });
  });

  it('returns what has arrived if the connection breaks, and then fetches only the rest', async () => {
    const { start, end } = sealedRange(file, 2);
    const received = sealed.slice(0, 15);
    expect(await fetchOne(received)).toEqual({ asked: [start, end], fetched: { received } });
    expect(await fetchOne(sealed.slice(15), { received })).toEqual({
      asked: [start + 15, end],
      fetched: { bytes: plain, crc32: 0 },
    });
    expect(await fetchOne(plain.slice(2), { isSealed: false, received: plain.slice(0, 2) })).toEqual({
      asked: [66, 70],
      fetched: { bytes: plain, crc32: 0 },
    });
    expect(await fetchOne(sealed, { received })).toMatchObject({ fetched: { code: 'NETWORK' } });
  });

  it('returns nothing that it cannot authenticate', async () => {
    const forged = sealed.with(20, sealed[20]! ^ 1);
    expect(await fetchOne(forged)).toMatchObject({ fetched: { code: 'DECRYPTION_FAILED' } });
  });

  it('returns nothing after it was cancelled', async () => {
    expect(await fetchOne(sealed, { signal: AbortSignal.abort() })).toMatchObject({ fetched: { code: 'CANCELLED' } });
  });
});
