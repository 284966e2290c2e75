import { openChunk, planOfChunks, toBase64 } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { cryptoOf, key, randomBytes, sourceOf, subtle } from '../../testing/rigs.ts';
import type { Storage } from '../ports.ts';
import { createTurns } from '../turns.ts';
import { sendPart } from './send-part.ts';

const content = randomBytes(70);
const file = { ...planOfChunks(70, 32), fileName: 'a', salt: toBase64(randomBytes(16)) };

const part = (source: Uint8Array<ArrayBuffer>, index: number) => {
  return { source: sourceOf(source), file, index, url: 'https://storage.test' };
};

function setUp() {
  const sent: Uint8Array<ArrayBuffer>[] = [];
  const put: Storage['put'] = async (_, bytes) => `etag ${sent.push(bytes.slice())}`;
  const getRange: Storage['getRange'] = async () => randomBytes(0);
  const handOver = createTurns();
  const crypto = cryptoOf(createFakeClock());
  const ports = { crypto, storage: { put, getRange }, inTurn: createTurns(), handOver };
  const send = (source: Uint8Array<ArrayBuffer>, index: number, signal = new AbortController().signal) =>
    sendPart(ports, { ...part(source, index), key }, () => {}, signal);
  const sendPlain = (source: Uint8Array<ArrayBuffer>, index: number) =>
    sendPart(ports, { ...part(source, index), key: 'unencrypted' }, () => {}, new AbortController().signal);
  return { sent, send, sendPlain, handOver };
}

describe('sendPart', () => {
  it('puts what opens to that part of the file, and answers the ETag', async () => {
    const { sent, send } = setUp();
    expect(await send(content, 2)).toBe('etag 1');
    expect(await openChunk(subtle, key, file, 2, sent[0]!)).toEqual(content.slice(64));
  });

  it('puts the part as it is where that was asked for', async () => {
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

  it('seals the next part while this one is being sent, and no two at once', async () => {
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
    const storage: Storage = {
      put: (url) => new Promise(() => void puts.push(url)),
      getRange: async () => randomBytes(0),
    };
    const ports = { crypto: { ...crypto, subtle: watched }, storage, inTurn: createTurns(), handOver: createTurns() };
    for (const index of [0, 1, 2]) {
      const part = { source: sourceOf(content), file, key, index, url: String(index) };
      void sendPart(ports, part, () => {}, new AbortController().signal);
    }
    await expect.poll(() => puts).toEqual(['0', '1', '2']);
    expect(most).toBe(1);
  });

  it('hands a part over to the network when no other does, and not once it is cancelled', async () => {
    const { sent, send, handOver } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancellation = new AbortController();
    void handOver(() => promise);
    const cancelled = send(content, 0, cancellation.signal);
    const waiting = send(content, 1);
    await new Promise((passed) => setTimeout(passed, 20));
    expect(sent).toEqual([]);
    cancellation.abort();
    resolve();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await waiting).toBe('etag 1');
  });

  it('puts nothing of a file that has shrunk', async () => {
    const { sent, send } = setUp();
    await expect(send(content.slice(0, 69), 2)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(sent).toEqual([]);
  });

  it('puts nothing once it is cancelled', async () => {
    const { sent, send } = setUp();
    await expect(send(content, 0, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(sent).toEqual([]);
  });
});
