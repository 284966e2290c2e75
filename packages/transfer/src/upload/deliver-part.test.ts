import { Failure } from '@furoshiki/api';
import { MB, planOfChunks } from '@furoshiki/format';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../testing/fake-clock.ts';
import { createFakeNetwork } from '../../testing/fake-network.ts';
import { createFakeServer, type FakeServer } from '../../testing/fake-server.ts';
import { key } from '../../testing/rigs.ts';
import { createConcurrencyLimiter } from '../concurrency/adaptive-concurrency.ts';
import type { PartSender } from '../ports.ts';
import { deliverPart } from './deliver-part.ts';

const PART_BYTES = 25 * MB;
const { signal } = new AbortController();
let clock: FakeClock;
let server: FakeServer;
beforeEach(() => {
  clock = createFakeClock();
  server = createFakeServer(clock, PART_BYTES, () => undefined);
});

/** Delivers the only part of a file of 25 MB with this sender. */
async function deliver(send: PartSender<null>['send']): Promise<string> {
  const init = { fileName: 'a', fileSize: PART_BYTES, contentType: '', totalParts: 1, downloadLimit: 1 };
  const { uploadId, fileKey } = await server.api.call('initUpload', { body: { ...init, isEncrypted: true } });
  const sealedFile = { ...planOfChunks(PART_BYTES, PART_BYTES), format: 1, fileName: 'a', salt: '' } as const;
  const network = createFakeNetwork(clock, server);
  const file = {
    uploadRef: { uploadId, fileKey },
    source: null,
    key: key.gcm,
    sealedFile,
    fileIndex: 0,
    maxLanes: () => 1,
    limiter: createConcurrencyLimiter({ clock, network }),
  };
  const ports = { api: server.api, clock, network, sender: { send } };
  return deliverPart(ports, file, 0, () => {}, signal);
}

const stalled = (given: AbortSignal) =>
  new Promise<never>((_, reject) => given.addEventListener('abort', () => reject(new Failure('CANCELLED'))));

describe('a part that is being sent', () => {
  it('is retried with a fresh URL after 30 s without progress', async () => {
    const urls: string[] = [];
    const etag = await deliver(({ url }, onSent, given) => {
      urls.push(url);
      onSent(1);
      return urls.length === 1 ? stalled(given) : Promise.resolve('etag');
    });
    expect([etag, new Set(urls).size]).toEqual(['etag', 2]);
    expect(clock.nowMs()).toBe(32_000);
  });

  it('is retried if its worker never responds, not even to the abort', async () => {
    let tries = 0;
    await deliver(() => {
      tries += 1;
      return tries === 1 ? new Promise<never>(() => {}) : Promise.resolve('etag');
    });
    expect(clock.nowMs()).toBe(32_000);
  });

  it('has a timeout of 3 s per MB and then, if no other part is sent, of ten minutes, even if it makes progress', async () => {
    const drip: PartSender<null>['send'] = async (_, onSent, given) => {
      for (let sent = 0; ; sent += 1) {
        await clock.sleep(1000, given);
        onSent(sent);
      }
    };
    await expect(deliver(drip)).rejects.toMatchObject({ code: 'TIMEOUT' });
    // A little over 75 s, because sealing adds 28 bytes; three waits.
    expect(Math.floor(clock.nowMs() / 1000)).toBe(75 + 3 * 600 + 14);
  });

  it('is retried if the browser aborts it by itself', async () => {
    let tries = 0;
    await deliver(async () => {
      tries += 1;
      if (tries === 1) throw new Failure('CANCELLED');
      return 'etag';
    });
    expect([tries, clock.nowMs()]).toEqual([2, 2000]);
  });
});
