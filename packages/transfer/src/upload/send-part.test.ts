import { openChunk, planOfChunks, toBase64 } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { cryptoOf, join, key, randomBytes, sourceOf, subtle } from '../../testing/rigs.ts';
import type { ObjectStorage } from '../ports.ts';
import { createPartSender } from './send-part.ts';

const content = randomBytes(70);
const file = { ...planOfChunks(70, 32), format: 1, fileName: 'a', salt: toBase64(randomBytes(16)) } as const;

const part = (source: Uint8Array<ArrayBuffer>, index: number) => {
  return { source: sourceOf(source), file, index, url: 'https://storage.test' };
};

interface RequestBody {
  bytes: Uint8Array<ArrayBuffer>;
}

const open = (sealed: Uint8Array<ArrayBuffer>, index: number) =>
  openChunk(subtle, { key: key.gcm, file, index }, sealed);

function setUp() {
  const sent: Uint8Array<ArrayBuffer>[] = [];
  const spooling = { count: 0, until: Promise.resolve() };
  const put: ObjectStorage<RequestBody>['put'] = async (_, { bytes }) => `etag ${sent.push(bytes)}`;
  const spool = async (pieces: Uint8Array<ArrayBuffer>[]) => {
    spooling.count += 1;
    await spooling.until;
    return { bytes: join(pieces) };
  };
  const crypto = cryptoOf(createFakeClock());
  const sender = createPartSender({ crypto, storage: { put }, spool });
  const send = (source: Uint8Array<ArrayBuffer>, index: number, signal = new AbortController().signal) =>
    sender.send({ ...part(source, index), key: key.gcm }, () => {}, signal);
  const sendPlain = (source: Uint8Array<ArrayBuffer>, index: number) =>
    sender.send({ ...part(source, index), key: 'unencrypted' }, () => {}, new AbortController().signal);
  return { sent, send, sendPlain, spooling };
}

describe('createPartSender', () => {
  it('sends the sealed part and returns the ETag', async () => {
    const { sent, send } = setUp();
    expect(await send(content, 2)).toBe('etag 1');
    expect(await open(sent[0]!, 2)).toEqual(content.slice(64));
  });

  it('sends an unencrypted part as it is', async () => {
    const { sent, sendPlain } = setUp();
    await sendPlain(content, 1);
    expect(sent).toEqual([content.slice(32, 64)]);
  });

  it('never seals under the same IV twice', async () => {
    const { sent, send } = setUp();
    await send(content, 0);
    await send(content, 0);
    const ivs = sent.map((sealed) => sealed.slice(0, 12));
    expect(ivs[0]).not.toEqual(ivs[1]);
  });

  it('seals the next part while this one is sent, but never two at once', async () => {
    let sealing = 0;
    let most = 0;
    const puts: string[] = [];
    const crypto = cryptoOf(createFakeClock());
    const watched = {
      ...crypto.subtle,
      async encrypt(...input: Parameters<typeof subtle.encrypt>) {
        most = Math.max(most, (sealing += 1));
        return crypto.subtle.encrypt(...input).finally(() => void (sealing -= 1));
      },
    };
    const storage = { put: (url: string) => new Promise<never>(() => void puts.push(url)) };
    const spool = async () => undefined;
    const sender = createPartSender({ crypto: { ...crypto, subtle: watched }, storage, spool });
    for (const index of [0, 1, 2]) {
      const part = { source: sourceOf(content), file, key: key.gcm, index, url: String(index) };
      void sender.send(part, () => {}, new AbortController().signal);
    }
    await expect.poll(() => puts).toEqual(['0', '1', '2']);
    expect(most).toBe(1);
  });

  it('sends the spooled part, unless it was cancelled in the meantime', async () => {
    const { sent, send, spooling } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    spooling.until = promise;
    const cancellation = new AbortController();
    const cancelled = send(content, 0, cancellation.signal);
    const waiting = send(content, 2);
    await expect.poll(() => spooling.count).toBe(1);
    cancellation.abort();
    resolve();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await waiting).toBe('etag 1');
    expect(await open(sent[0]!, 2)).toEqual(content.slice(64));
  });

  it('sends nothing of a file that has shrunk', async () => {
    const { sent, send } = setUp();
    await expect(send(content.slice(0, 69), 2)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(sent).toEqual([]);
  });

  it('sends nothing after it was cancelled', async () => {
    const { sent, send } = setUp();
    await expect(send(content, 0, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(sent).toEqual([]);
  });
});
