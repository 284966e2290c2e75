import { Failure } from '@furoshiki/api';
import { MB, planOfChunks } from '@furoshiki/format';
import type { PartToSend } from '@furoshiki/transfer';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPartSpool, createSpooledSender, type UploadRequest } from './spooled-sender.ts';

const PART_BYTES = 25 * MB;
const IN_MEMORY = 3;
const { signal } = new AbortController();
const part = (count: number): PartToSend<File> => ({
  source: new File([], ''),
  file: { ...planOfChunks(count * PART_BYTES, PART_BYTES), format: 1, fileName: 'a', salt: '' },
  key: 'unencrypted',
  index: 0,
  url: 'https://storage.test/',
});

let freeBytes: number;
let created: number;
let removed: number;
let sending: { from: 'disk' | 'memory'; end(): void }[];
let isRefusing: boolean;

beforeEach(() => {
  freeBytes = 1000 * MB;
  created = 0;
  removed = 0;
  sending = [];
  isRefusing = false;
});

function setUp() {
  const spool = createPartSpool({
    freeBytes: async () => freeBytes,
    async createFile() {
      created += 1;
      freeBytes -= PART_BYTES;
      return { handle: {} as FileSystemFileHandle, remove: async () => void (removed += 1) };
    },
  });
  const poolOf = (from: 'disk' | 'memory') => ({
    async call({ spoolFile }: UploadRequest) {
      if (spoolFile && isRefusing) throw new Failure('SAVE_FAILED');
      const { promise, resolve } = Promise.withResolvers<string>();
      sending.push({ from, end: () => resolve('etag') });
      return promise;
    },
  });
  const pools = { fromDisk: poolOf('disk'), fromMemory: poolOf('memory'), inMemory: () => IN_MEMORY };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const sender = createSpooledSender(spool, pools);
  /** Starts so many parts, and returns how many are refused at once. */
  async function send(count: number, partCount = 100): Promise<number> {
    let refused = 0;
    for (let n = 0; n < count; n += 1) {
      sender
        .send(part(partCount), () => {}, signal)
        .catch((thrown: Failure) => {
          expect(thrown.code).toBe('STORAGE_ERROR');
          refused += 1;
        });
    }
    await settle();
    return refused;
  }
  async function endAll(): Promise<void> {
    for (const { end } of sending.splice(0)) end();
    await settle();
  }
  const from = (where: 'disk' | 'memory') => sending.filter((sent) => sent.from === where).length;
  return { spool, send, endAll, from };
}

describe('parts of a large file', () => {
  it('wait on disk, in files that are used again', async () => {
    const { spool, send, endAll, from } = setUp();
    expect(await send(8)).toBe(0);
    expect([from('disk'), from('memory'), created]).toEqual([8, 0, 8]);
    await endAll();
    await send(8);
    expect([from('disk'), created]).toEqual([8, 8]);
    await endAll();
    spool.clear();
    expect(removed).toBe(8);
  });

  it('take no more memory than fits if the disk fills up in the middle of a file', async () => {
    const { spool, send, endAll, from } = setUp();
    await send(2);
    freeBytes = 0;
    expect(await send(6)).toBe(3);
    expect([from('disk'), from('memory')]).toEqual([2, IN_MEMORY]);
    expect(await spool.hasSpaceFor(PART_BYTES)).toBe(false);
    await endAll();
    // The two files have their space, so they are used again.
    await send(6);
    expect([from('disk'), from('memory')]).toEqual([2, IN_MEMORY]);
  });

  it('take no more memory than fits if the disk refuses a part although it reports space', async () => {
    const { spool, send, from } = setUp();
    isRefusing = true;
    expect(await send(8)).toBe(8);
    expect(await spool.hasSpaceFor(PART_BYTES)).toBe(false);
    expect(await send(8)).toBe(8 - IN_MEMORY);
    expect([from('disk'), from('memory')]).toEqual([0, IN_MEMORY]);
    // The files are removed as soon as no part needs them, which must not make the next parts try the disk again.
    spool.clear();
    expect(removed).toBe(8);
    expect(await spool.hasSpaceFor(PART_BYTES)).toBe(false);
  });
});

it('sends the only part of a file from memory, whatever the disk has', async () => {
  const { send, from } = setUp();
  freeBytes = 0;
  expect(await send(8, 1)).toBe(0);
  expect([from('memory'), created]).toEqual([8, 0]);
});
