import { planOfChunks, sealChunk, sealedRange, toBase64 } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { key, randomBytes, subtle } from '../../testing/rigs.ts';
import type { Storage } from '../ports.ts';
import { receiveChunk } from './receive-chunk.ts';

const plain = randomBytes(6);
const file = { ...planOfChunks(70, 32), fileName: 'a', salt: toBase64(randomBytes(16)) };
const sealed = await sealChunk(subtle, key, randomBytes(12), file, 2, plain);

/** What is asked of the storage and written to the sink, where the storage answers `bytes`. */
async function receive(bytes: Uint8Array<ArrayBuffer>, signal = new AbortController().signal) {
  const asked: number[] = [];
  const written: [number, Uint8Array][] = [];
  const storage: Storage = {
    put: async () => '',
    async getRange(_, start, end) {
      asked.push(start, end);
      return bytes;
    },
  };
  const sink = { write: async (offset: number, opened: Uint8Array) => void written.push([offset, opened]) };
  const chunk = { file, key, index: 2, url: 'https://storage.test' };
  const failure: unknown = await receiveChunk({ subtle, storage }, sink, chunk, () => {}, signal).catch(
    (thrown) => thrown,
  );
  return { asked, written, failure };
}

describe('receiveChunk', () => {
  it('asks for the sealed range and writes what it opens to at its place in the file', async () => {
    const { asked, written, failure } = await receive(sealed);
    const { start, end } = sealedRange(file, 2);
    expect({ asked, written, failure }).toEqual({ asked: [start, end], written: [[64, plain]], failure: undefined });
  });

  it.each([
    ['too few bytes', sealed.slice(1)],
    ['too many bytes', new Uint8Array([...sealed, 0])],
  ])('takes %s for a broken connection, worth another try', async (_, bytes) => {
    expect(await receive(bytes)).toMatchObject({ failure: { code: 'NETWORK' }, written: [] });
  });

  it('writes nothing that it cannot authenticate', async () => {
    const forged = sealed.with(20, sealed[20]! ^ 1);
    expect(await receive(forged)).toMatchObject({ failure: { code: 'DECRYPTION_FAILED' }, written: [] });
  });

  it('writes nothing once it is cancelled', async () => {
    const received = await receive(sealed, AbortSignal.abort());
    expect(received).toMatchObject({ failure: { code: 'CANCELLED' }, written: [] });
  });
});
