import { randomBytes } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_TOKEN_HEADER, createFrameReader, MAX_CALLS_PER_BATCH, type ReceivedFrame } from '@furoshiki/api';
import { GB, KB, MB } from '@furoshiki/format';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres, hasCeph } from '../../../../scripts/ensure-backends.mjs';
import { sharedCeph, sharedPostgres } from '../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../testing/ceph.ts';
import { newTransfer, sendFormat2, type SentFile2, type Transfer } from '../../testing/format-2.ts';
import type { Postgres } from '../../testing/postgres.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../testing/test-server.ts';

const DAY_MS = 24 * 3_600_000;
const SEALED_MORE = 28;
const UNKNOWN = 'A'.repeat(22);

let server: TestServer;
let sender: TestClient;
let transfer: Transfer;

async function start(config: TestOptions['config'] = {}): Promise<void> {
  server = await startTestServer({ config });
  sender = new TestClient(server);
  // Before concurrent calls: each of them would get a token and a cookie of its own.
  await sender.renewToken();
  transfer = await newTransfer();
}

const send = (bytes = 5000, downloadLimit = 1, change = {}) =>
  sendFormat2(sender, transfer, new Uint8Array(randomBytes(bytes)), { change: { downloadLimit, ...change } });

/** One after the other, in groups that a store without rate limits takes at once. */
async function sendMany(count: number, bytes?: number, downloadLimit?: number): Promise<SentFile2[]> {
  const files: SentFile2[] = [];
  while (files.length < count) {
    const group = Math.min(MAX_CALLS_PER_BATCH, count - files.length);
    files.push(...(await Promise.all(Array.from({ length: group }, () => send(bytes, downloadLimit)))));
  }
  return files;
}

async function request(client: TestClient, ids: readonly string[], proof = transfer.proof, signal?: AbortSignal) {
  if (client.token === '') await client.renewToken();
  return server.fetch(`${server.url}/api/batch/download`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-csrf-token': client.token,
      cookie: client.cookie,
      'accept-language': 'en',
      ...proof,
    },
    body: JSON.stringify({ ids }),
    ...(signal && { signal }),
  });
}

/** Reads the response as clients do. */
async function receive(client: TestClient, files: readonly SentFile2[], proof?: Record<string, string>) {
  const response = await request(
    client,
    files.map(({ id }) => id),
    proof,
  );
  expect(response.status).toBe(200);
  const frames: ReceivedFrame[] = [];
  const expected = files.map(({ id, plain }) => ({ id, length: plain.length + SEALED_MORE }));
  const reader = createFrameReader(expected, (frame) => frames.push(frame));
  reader.push(new Uint8Array(await response.arrayBuffer()));
  reader.end();
  expect(frames.map(({ index }) => index)).toEqual(files.map((_, index) => index));
  return frames;
}

const outcome = (frame: ReceivedFrame) => ('failure' in frame ? frame.failure.code : 'granted');
const outcomes = async (...given: Parameters<typeof receive>) => (await receive(...given)).map(outcome);
const used = async ({ id }: SentFile2) => (await server.context.metadata.findFile(id, nobody()))?.currentDownloads;
const nobody = () => ({ clientHash: 'nobody', nowMs: server.context.clock.nowMs() });

async function storedBytes({ fileKey }: SentFile2): Promise<Buffer> {
  const blocks: Buffer[] = [];
  const size = await server.context.objects.sizeOf(fileKey);
  for await (const block of server.context.objects.read(fileKey, 0, size)) blocks.push(Buffer.from(block));
  return Buffer.concat(blocks);
}

function describeSmallFiles(name: string, configOf: () => Promise<TestOptions['config']>): void {
  describe(`small files on ${name}`, () => {
    beforeEach(async () => start(await configOf()));
    afterEach(() => server.close());

    it('gives the grant and the stored bytes of each file, in order', async () => {
      const files = [...(await sendMany(40, 300)), await send(700 * KB), await send(5000)];
      const frames = await receive(new TestClient(server), files);
      for (const [index, file] of files.entries()) {
        expect(frames[index]).toMatchObject({ requiresDecryptionConfirmation: true });
        const { bytes } = frames[index] as { bytes: Uint8Array };
        expect((await storedBytes(file)).equals(bytes)).toBe(true);
        expect(await used(file)).toBe(1);
      }
    });

    it('counts a download once, however often it is requested with the same cookie, until it is confirmed', async () => {
      const files = await sendMany(3, 1000, 2);
      const recipient = new TestClient(server);
      for (let time = 0; time < 3; time += 1)
        expect(await outcomes(recipient, files)).toEqual(['granted', 'granted', 'granted']);
      expect((await recipient.get(`/download/${files[0]?.id}`, transfer.proof)).status).toBe(200);
      expect(await Promise.all(files.map(used))).toEqual([1, 1, 1]);
      await recipient.post(`/download/${files[0]?.id}/confirm`);
      await outcomes(recipient, files);
      expect(await Promise.all(files.map(used))).toEqual([2, 1, 1]);
    });

    it('says for each file why it is not there, and sends the others', async () => {
      const files = await sendMany(6, 1000);
      const [usedUp, deleted, , otherKey, , kept] = files as [
        SentFile2,
        SentFile2,
        SentFile2,
        SentFile2,
        SentFile2,
        SentFile2,
      ];
      await new TestClient(server).get(`/download/${usedUp.id}`, transfer.proof);
      await sender.delete(`/download/${deleted.id}`);
      const stranger = await newTransfer();
      const other = await sendFormat2(sender, stranger, otherKey.plain);
      const wanted = [usedUp, deleted, { ...kept, id: UNKNOWN }, other, kept];
      expect(await outcomes(new TestClient(server), wanted)).toEqual([
        'DOWNLOAD_LIMIT_REACHED',
        'NOT_FOUND',
        'NOT_FOUND',
        'KEY_PROOF_REQUIRED',
        'granted',
      ]);
      expect(await Promise.all([other, kept].map(used))).toEqual([0, 1]);
    });

    it('gives the last download of each file to exactly one of many clients', async () => {
      const files = await sendMany(5, 1000);
      const all = await Promise.all(Array.from({ length: 12 }, () => outcomes(new TestClient(server), files)));
      for (const [index, file] of files.entries()) {
        const granted = all.filter((ofClient) => ofClient[index] === 'granted');
        const refused = all.filter((ofClient) => ofClient[index] === 'DOWNLOAD_LIMIT_REACHED');
        expect([granted.length, refused.length]).toEqual([1, 11]);
        expect(await used(file)).toBe(1);
      }
    });

    it('says NOT_FOUND for a file whose bytes are gone, and sends the others', async () => {
      const files = await sendMany(3, 1000);
      await server.context.objects.delete(files[1]?.fileKey ?? '');
      expect(await outcomes(new TestClient(server), files)).toEqual(['granted', 'NOT_FOUND', 'granted']);
    });

    it('keeps the grants of a response that was interrupted: the next one counts nothing again', async () => {
      const files = await sendMany(40, 100 * KB);
      const recipient = new TestClient(server);
      const ids = files.map(({ id }) => id);
      const aborting = new AbortController();
      const response = await request(recipient, ids, transfer.proof, aborting.signal);
      await response.body?.getReader().read();
      aborting.abort();
      expect(await outcomes(recipient, files)).toEqual(files.map(() => 'granted'));
      expect(await Promise.all(files.map(used))).toEqual(files.map(() => 1));
    });
  });
}

describeSmallFiles('SQLite and a disk', async () => ({}));

describe.skipIf(!hasCeph() || findPostgres() === undefined)('with a database and a bucket of their own', () => {
  let ceph: Ceph;
  let postgres: Postgres;
  beforeAll(async () => {
    [ceph, postgres] = await Promise.all([sharedCeph(), sharedPostgres()]);
    // If only this file is run, it starts its own.
  });
  afterAll(async () => {
    await ceph.stop();
    await postgres.stop();
  });

  describeSmallFiles('PostgreSQL and S3', async () => ({
    DATABASE_URL: await postgres.newDatabase(),
    SECRET: randomBytes(32).toString('base64'),
    S3_BUCKET: await ceph.newBucket(),
    S3_ENDPOINT: ceph.endpoint,
    S3_PATH_STYLE: true,
    MAX_STORED_BYTES: 1024 * GB,
    S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
  }));
});

describe('limits', () => {
  afterEach(() => server.close());

  it('spends nothing of a file that is too large for the call', async () => {
    await start();
    const [small, large] = [await send(MB - SEALED_MORE), await send(MB)];
    expect(await outcomes(new TestClient(server), [large, small])).toEqual(['BODY_TOO_LARGE', 'granted']);
    expect([await used(large), await used(small)]).toEqual([0, 1]);
  });

  it('sends 8 MB at most', async () => {
    await start();
    const files = await sendMany(9, MB - SEALED_MORE);
    const all = await outcomes(new TestClient(server), files);
    expect(all.toSorted()).toEqual(['BODY_TOO_LARGE', ...Array.from({ length: 8 }, () => 'granted')]);
    const refused = all.indexOf('BODY_TOO_LARGE');
    expect(await used(files[refused] as SentFile2)).toBe(0);
  });

  it('knows no file that has expired', async () => {
    await start();
    const files = [await send(1000, 1, { retentionPeriod: 1 }), await send(1000, 1, { retentionPeriod: 3 })];
    server.wait(DAY_MS);
    expect(await outcomes(new TestClient(server), files)).toEqual(['NOT_FOUND', 'granted']);
  });

  it('counts each file as a download that comes alone', async () => {
    await start({ DOWNLOADS_PER_HOUR: 3 });
    const files = await sendMany(4, 1000, 5);
    const recipient = new TestClient(server);
    const all = await receive(recipient, files);
    expect(all.map(outcome).toSorted()).toEqual(['RATE_LIMITED', 'granted', 'granted', 'granted'].toSorted());
    const refused = all.find((frame) => 'failure' in frame);
    expect(refused).toMatchObject({ failure: { details: { status: 429, retryAfterSeconds: 3600 } } });
    expect(await used(files[refused?.index ?? 0] as SentFile2)).toBe(0);
    expect((await recipient.get(`/download/${files[0]?.id}`, transfer.proof)).status).toBe(429);
  });

  it('counts each file as a request for stored bytes', async () => {
    await start({ PART_CALLS_PER_HOUR: 30 });
    const [file] = await sendMany(1, 1000, 5);
    const files = Array.from({ length: 32 }, () => file as SentFile2);
    const all = await outcomes(new TestClient(server), files);
    expect(all.filter((code) => code === 'RATE_LIMITED')).toHaveLength(2);
    const { body } = await sender.get(`/download/${file?.id}`, transfer.proof);
    expect((await server.fetch(body.presignedUrl)).status).toBe(429);
  });

  it('counts requests for files that are refused apart from downloads', async () => {
    await start({ READS_PER_HOUR: 3, DOWNLOADS_PER_HOUR: 3 });
    const files = await sendMany(5, 1000);
    const wrong = { [ACCESS_TOKEN_HEADER]: randomBytes(32).toString('base64') };
    const all = await outcomes(new TestClient(server), files, wrong);
    expect(all.toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'KEY_PROOF_REQUIRED'),
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(await outcomes(new TestClient(server), files.slice(0, 3))).toEqual(['granted', 'granted', 'granted']);
  });

  it('needs the security token', async () => {
    await start();
    const { id } = await send();
    const response = await server.fetch(`${server.url}/api/batch/download`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...transfer.proof },
      body: JSON.stringify({ ids: [id] }),
    });
    const { errorCode } = (await response.json()) as { errorCode: string };
    expect([response.status, errorCode]).toEqual([403, 'CSRF_TOKEN_EXPIRED']);
  });

  it.each([
    ['no file', [], 400],
    ['more than 256 files', Array.from({ length: 257 }, () => UNKNOWN), 400],
    ['an id that cannot be one', ['x'], 404],
  ])('refuses %s', async (_, ids, status) => {
    await start();
    expect((await request(new TestClient(server), ids)).status).toBe(status);
  });

  it('ends the response if bytes of a file are missing after its first block', async () => {
    await start();
    const files = [await send(1000), await send(900 * KB)];
    const { fileKey } = files[1] as SentFile2;
    const data = join(server.folder, 'objects', fileKey.slice(0, 2), fileKey, 'data');

    await truncate(data, 600 * KB);
    const response = await request(
      new TestClient(server),
      files.map(({ id }) => id),
    );
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
  });
});
