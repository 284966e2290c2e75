import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GB, MB, planOfChunks, storedRange } from '@furoshiki/format';
import { afterEach, describe, expect, it } from 'vitest';
import { INIT, TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Config } from '../config/config.ts';
import { sweep } from '../services/deletion.ts';
import { groupFormat2, newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { FORMAT_2, newCompletion, newUpload } from '../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../testing/no-limits.ts';

let server: TestServer;
afterEach(() => server.close());

async function clientWith(config: Partial<Config> = {}): Promise<TestClient> {
  server = await createTestServer({ config });
  return new TestClient(server);
}

/** So many that single pages do not matter. */
const FILES = 100;

/** Random Base64 of this length. */
const base64 = (length: number) => bytes((length / 4) * 3);
const bytes = (count: number) => randomBytes(count).toString('base64');
const sealedFields = () => ({ salt: bytes(16), pageSalt: bytes(16), keyCheck: bytes(32), accessCheck: bytes(32) });

describe('storage space', () => {
  it('is reserved when an upload is opened; without enough of it the upload is refused before its first byte', async () => {
    const client = await clientWith({ MAX_STORED_BYTES: 3_000_000 });
    const first = await client.init({ fileSize: 2_000_000 });
    const refused = await client.init({ fileSize: 1_000_000 });
    expect([refused.status, refused.body.errorCode]).toEqual([507, 'QUOTA_EXCEEDED']);
    expect(await server.context.objects.listKeys('', 10)).toHaveLength(1);
    await client.post('/upload/cancel', { uploadId: first.body.uploadId, fileKey: first.body.fileKey });
    expect((await client.init({ fileSize: 1_000_000 })).status).toBe(200);
  });

  it('is free again when a file is deleted', async () => {
    const client = await clientWith({ MAX_STORED_BYTES: 1_500_000 });
    const file = await client.send(new Uint8Array(randomBytes(1_000_000)));
    expect((await client.init({ fileSize: 1_000_000 })).status).toBe(507);
    await client.delete(`/download/${file.id}`);
    expect((await client.init({ fileSize: 1_000_000 })).status).toBe(200);
  });

  it('is kept free on the disk, counting the sizes of running uploads', async () => {
    const client = await clientWith();
    const free = (await server.context.objects.free()).bytes ?? 0;
    server.context.limits.minFreeDiskBytes = free - 5 * GB;
    expect((await client.init({ fileSize: 2 * GB })).status).toBe(200);
    expect((await client.init({ fileSize: 3 * GB })).body.errorCode).toBe('QUOTA_EXCEEDED');
    expect((await client.init({ fileSize: GB / 4 })).status).toBe(200);
  });

  it('is refused if the disk has hardly any inodes left, however many bytes are free', async () => {
    const client = await clientWith();
    const withInodes = async (inodes: { free: number; total: number } | undefined) => {
      server.context.objects.free = async () => ({ bytes: 1000 * GB, inodes });
      return (await client.init()).body.errorCode;
    };
    expect(await withInodes({ free: 149, total: 3000 })).toBe('QUOTA_EXCEEDED');
    expect(await withInodes({ free: 150, total: 3000 })).toBeUndefined();
    expect(await withInodes(undefined)).toBeUndefined();
    expect(await server.context.objects.listKeys('', 10)).toHaveLength(2);
  });

  it('counts the details and the list of a file, and what the disk takes for it, until it is deleted', async () => {
    const client = await clientWith();
    const counted = async () => (await server.context.metadata.tally()).storedBytes;
    const transfer = await newTransfer();
    const file = await sendFormat2(client, transfer, new Uint8Array(1), { name: 'x'.repeat(1000) });
    expect(await counted()).toBeGreaterThan(3 * 4096 + file.details.length);
    const before = await counted();
    const { list } = await groupFormat2(client, transfer, [file], { message: 'x'.repeat(1000) });
    expect((await counted()) - before).toBeGreaterThanOrEqual(list.length);
    await client.delete(`/download/${file.id}`);
    expect(await counted()).toBe(0);
  });

  // With 1,700 and 6,000 characters, most of a page or of its overflow pages stays empty.
  it.each([400, 1700, 6000])(
    'counts 90 percent at least of what the database takes for %i characters of details',
    async (length) => {
      const client = await clientWith();
      const { metadata, objects } = server.context;
      const path = join(server.folder, 'furoshiki.db');
      function databaseBytes(): number {
        const database = new DatabaseSync(path);
        database.exec('pragma wal_checkpoint(truncate)');
        database.close();
        return statSync(path).size;
      }
      const before = databaseBytes();
      for (let n = 0; n < FILES; n += 1) {
        const { body } = await client.init();
        const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
        const put = await client.put(body.presignedUrl, new Uint8Array(INIT.fileSize + 28));
        const metadataOfFile = { format: 2, ...sealedFields(), details: base64(length), chunkSize: body.chunkSize };
        const parts = [{ PartNumber: 1, ETag: put.headers.get('etag') }];
        const { status } = await client.post('/upload/complete', { ...upload, metadata: metadataOfFile, parts });
        expect(status).toBe(200);
      }
      const counted = (await metadata.tally()).storedBytes - FILES * objects.takenBytes(INIT.fileSize + 28);
      expect(databaseBytes() - before).toBeLessThan(counted / 0.9);
    },
  );

  it('is released while no part of an upload comes, and reserved again when it continues, if there is still room', async () => {
    const client = await clientWith({ MAX_STORED_BYTES: 200 * MB });
    const { body } = await client.init({ fileSize: 100 * MB });
    const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
    const length = storedRange(planOfChunks(100 * MB, body.chunkSize), 0, true).length;
    const put = await client.putPart(upload, 1, new Uint8Array(length));
    const part = { ...upload, partNumber: 1, etag: put.headers.get('etag') };
    expect((await client.post('/upload/complete-part', part)).status).toBe(200);
    const counted = async () => (await server.context.metadata.tally()).storedBytes;
    expect(await counted()).toBeGreaterThan(100 * MB);
    server.wait(2 * 3_600_000);
    await sweep(server.context, 10);
    expect(await counted()).toBeLessThan(length + MB);
    await client.renewToken();
    const { body: other } = await client.init({ fileSize: 140 * MB });
    const sign = () => client.post('/upload/presigned-url', { ...upload, partNumber: 2 });
    const refused = await sign();
    expect([refused.status, refused.body.errorCode]).toEqual([507, 'QUOTA_EXCEEDED']);
    await client.post('/upload/cancel', { uploadId: other.uploadId, fileKey: other.fileKey });
    expect((await sign()).status).toBe(200);
    expect(await counted()).toBeGreaterThan(100 * MB);
  });

  it('is never held by one address alone: others can still upload', async () => {
    const client = await clientWith({ TRUST_PROXY: 1, MAX_STORED_BYTES: 10_000_000 });
    const init = async (address: string, fileSize: number) =>
      (await client.post('/upload/init', { ...INIT, fileSize }, { 'x-forwarded-for': address })).body.errorCode;
    expect(await init('192.0.2.1', 9_000_000)).toBe('QUOTA_EXCEEDED');
    expect(await init('192.0.2.1', 8_500_000)).toBeUndefined();
    expect(await init('192.0.2.1', 1)).toBe('RATE_LIMITED');
    expect(await init('192.0.2.2', 1_000_000)).toBeUndefined();
  });
});

describe('bytes that an address has announced and not sent', () => {
  it('are limited until they arrive or their reservation ends; the response says how long to wait', async () => {
    const client = await clientWith({ MAX_UNSENT_BYTES: 3000 });
    const { body: open } = await client.init({ fileSize: 2000 });
    const refused = await client.init({ fileSize: 2000 });
    expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    const upload = { uploadId: open.uploadId, fileKey: open.fileKey };
    const put = await client.putPart(upload, 1, new Uint8Array(2028));
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag: put.headers.get('etag') });
    expect((await client.init({ fileSize: 2000 })).status).toBe(200);
    expect((await client.init({ fileSize: 2000 })).status).toBe(429);
    server.wait(Number(refused.headers.get('retry-after')) * 1000);
    await sweep(server.context, 10);
    await client.renewToken();
    expect((await client.init({ fileSize: 2000 })).status).toBe(200);
  });
});

describe('bytes that a /48 of IPv6 has announced and not sent', () => {
  it('are limited to four times as much as those of an address', async () => {
    const client = await clientWith({ TRUST_PROXY: 1, MAX_UNSENT_BYTES: 1_250_000 });
    const status = async (address: string) =>
      (await client.call('POST', '/upload/init', { ...INIT, fileSize: 1_000_000 }, { 'x-forwarded-for': address }))
        .status;
    expect([await status('2001:db8:0:100::1'), await status('2001:db8:0:100::2')]).toEqual([200, 429]);
    for (let line = 2; line <= 4; line += 1) expect(await status(`2001:db8:0:${line}00::1`)).toBe(200);
    expect([await status('2001:db8:0:f00::1'), await status('2001:db8:1:f00::1')]).toEqual([429, 200]);
  });
});

describe('the daily volume of an address', () => {
  it('is counted for a /56 of IPv6 together', async () => {
    const client = await clientWith({ TRUST_PROXY: 1, MAX_DAILY_UPLOAD_BYTES: 3_000_000 });
    const status = async (address: string) =>
      (await client.call('POST', '/upload/init', { ...INIT, fileSize: 1_000_000 }, { 'x-forwarded-for': address }))
        .status;
    expect([await status('2001:db8:0:1::1'), await status('2001:db8:0:ff::1')]).toEqual([200, 200]);
    expect([await status('2001:db8:0:2::1'), await status('2001:db8:0:100::1')]).toEqual([429, 200]);
  });

  it.each([
    ['bytes', { MAX_DAILY_UPLOAD_BYTES: 1_250_000 }, 4],
    ['records', { MAX_DAILY_RECORD_BYTES: 12_000 }, 20],
  ])('is limited to four times as much for a /48, in %s', async (_, config, most) => {
    const client = await clientWith({ TRUST_PROXY: 1, ...config });
    const status = async (address: string) =>
      (await client.call('POST', '/upload/init', { ...INIT, fileSize: 1_000_000 }, { 'x-forwarded-for': address }))
        .status;
    expect([await status('2001:db8:0:100::1'), await status('2001:db8:0:100::2')]).toEqual([200, 429]);
    for (let accepted = 1; accepted < most; accepted += 1)
      expect(await status(`2001:db8:0:${accepted + 1}00::1`)).toBe(200);
    expect([await status('2001:db8:0:f00::1'), await status('2001:db8:1:f00::1')]).toEqual([429, 200]);
  });

  it('is limited until the next day; the response says how long to wait', async () => {
    const client = await clientWith({ MAX_DAILY_UPLOAD_BYTES: 3_000_000 });
    expect((await client.init({ fileSize: 2_000_000 })).status).toBe(200);
    const refused = await client.init({ fileSize: 2_000_000 });
    expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    server.wait(seconds * 1000);
    await client.renewToken();
    expect((await client.init({ fileSize: 2_000_000 })).status).toBe(200);
  });

  it('is stored without the address and removed when its day is over', async () => {
    const client = await clientWith();
    expect((await client.init({ fileSize: 2000 })).status).toBe(200);
    const database = join(server.folder, 'furoshiki.db-wal');
    expect(readFileSync(database).includes('127.0.0.1')).toBe(false);
    server.wait(48 * 3_600_000);
    await sweep(server.context, 10);
    const yesterday = new Date(server.context.clock.nowMs() - 48 * 3_600_000).toISOString().slice(0, 10);
    const upload = newUpload({
      addressHash: server.context.hashAddress('127.0.0.1', yesterday),
      day: yesterday,
      storedSize: 3000,
    });
    const limits = { ...NO_LIMITS, dailyBytesOfAddress: 3000 };
    expect(await server.context.metadata.insertUpload(upload, limits)).toBe('reserved');
  });
});

it.each([
  ['names', 200_000, 1000],
  ['details', 2_000_000, 8000],
])('lets a page have only so many characters of %s', async (kind, max, each) => {
  const client = await clientWith();
  const { metadata, clock } = server.context;
  const expiresAtMs = clock.nowMs() + 1e6;
  async function insert(length: number): Promise<string> {
    const upload = newUpload({ fileSize: 1, expiresAtMs, fileName: 'x'.repeat(kind === 'names' ? length : 1) });
    await metadata.insertUpload(upload, NO_LIMITS);
    const details = 'x'.repeat(kind === 'details' ? length : 1);
    await metadata.completeUpload(upload.fileKey, newCompletion({ ...FORMAT_2, details, expiresAtMs }));
    return upload.id;
  }
  const most = await Promise.all(Array.from({ length: max / each - 1 }, () => insert(each)));
  const group = async (last: number) =>
    (await client.post('/batch/upload', { fileIDs: [...most, await insert(last)] })).body.errorCode;
  // The files are of another client, which is checked later.
  expect([await group(each), await group(each + 1)]).toEqual(['FORBIDDEN', 'SIZE_EXCEEDED']);
});

describe('a private instance', () => {
  it('accepts uploads only with its token, and downloads without it', async () => {
    const uploadToken = 'a token that is long enough to be one';
    const client = await clientWith({ UPLOAD_TOKEN: uploadToken });
    const init = (token?: string) =>
      client.post(
        '/upload/init',
        { fileName: 'a', fileSize: 1, contentType: '', totalParts: 1, downloadLimit: 1, isEncrypted: true },
        token === undefined ? {} : { 'x-upload-token': token },
      );
    expect([(await init()).body.errorCode, (await init('wrong')).body.errorCode]).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect((await init(uploadToken)).status).toBe(200);
    // No page of this id, but not forbidden either.
    expect((await client.get(`/download/page/${'A'.repeat(22)}`)).body.errorCode).toBe('NOT_FOUND');
    expect((await client.get('/config')).body.uploadTokenRequired).toBe(true);
  });
});

describe('rate limits', () => {
  const tokens = async (client: TestClient, headers: Record<string, string> = {}) =>
    (await client.post('/csrf-token', undefined, headers)).status;

  it('count each purpose separately and say how long to wait', async () => {
    const client = await clientWith({
      TOKENS_PER_HOUR: 3,
      UPLOADS_PER_HOUR: 3,
      DOWNLOADS_PER_HOUR: 1,
      DELETES_PER_HOUR: 1,
    });
    const { id } = await client.send(new Uint8Array(10));
    expect([(await client.init()).status, (await client.init()).status]).toEqual([200, 200]);
    const refused = await client.init();
    expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('x-ratelimit-limit')).toBeNull();
    expect([(await client.get(`/download/${id}`)).status, (await client.get(`/download/${id}`)).status]).toEqual([
      200, 429,
    ]);
    expect([(await client.delete(`/download/${id}`)).status, (await client.delete(`/download/${id}`)).status]).toEqual([
      200, 429,
    ]);
    expect([await tokens(client), await tokens(client), await tokens(client)]).toEqual([200, 200, 429]);
  });

  it('count cheap calls too', async () => {
    const client = await clientWith({ READS_PER_HOUR: 1, PART_CALLS_PER_HOUR: 1 });
    const id = 'A'.repeat(22);
    const paths = ['/config', `/download/page/${id}`, `/download/info/${id}`];
    for (const path of paths) {
      expect((await client.get(path)).status).not.toBe(429);
      expect((await client.get(path)).status).toBe(429);
    }
    const status = () => client.post('/upload/status', { uploadId: 'x', fileKey: id });
    expect([(await status()).status, (await status()).status]).toEqual([404, 429]);
  });

  it('count all requests of an address together', async () => {
    const client = await clientWith({ REQUESTS_PER_HOUR: 2 });
    const statuses = [];
    for (const path of ['/config', '/nothing', '/config']) statuses.push((await client.get(path)).status);
    expect(statuses).toEqual([200, 404, 429]);
  });

  it('count a page as one more read for each 256 KB', async () => {
    const client = await clientWith({ READS_PER_HOUR: 5 });
    const { metadata, clock } = server.context;
    const expiresAtMs = clock.nowMs() + 1e6;
    const ids = Array.from({ length: 65 }, (_, n) => `file ${n}`);
    const details = 'x'.repeat(8192);
    const sealed = newCompletion({
      ...FORMAT_2,
      details,
      pageId: 'A'.repeat(22),
      createdAtMs: clock.nowMs(),
      expiresAtMs,
    });
    for (const id of ids) {
      await metadata.insertUpload(newUpload({ id, fileKey: id, expiresAtMs }), NO_LIMITS);
      await metadata.completeUpload(id, sealed);
    }
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await client.get(`/download/page/${sealed.pageId}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('count the address of the socket and ignore X-Forwarded-For', async () => {
    const client = await clientWith({ TOKENS_PER_HOUR: 2 });
    const forged = ['1.1.1.1', '2.2.2.2', '3.3.3.3'].map((ip) => ({ 'x-forwarded-for': ip }));
    const statuses = [];
    for (const headers of forged) statuses.push(await tokens(client, headers));
    expect(statuses).toEqual([200, 200, 429]);
  });

  it.each<[string, number | string[]]>([
    ['one hop', 1],
    ['a network', ['127.0.0.0/8']],
  ])('use the address that a proxy trusted as %s appended, not those that the client sent', async (_, trustProxy) => {
    const client = await clientWith({ TOKENS_PER_HOUR: 2, TRUST_PROXY: trustProxy });
    // A proxy appends the address that it saw to what the client sent.
    let forged = 0;
    const seenAs = (ip: string) => tokens(client, { 'x-forwarded-for': `9.9.9.${(forged += 1)}, ${ip}` });
    await client.renewToken();
    expect([await seenAs('1.1.1.1'), await seenAs('1.1.1.1'), await seenAs('1.1.1.1')]).toEqual([200, 200, 429]);
    expect(await seenAs('2.2.2.2')).toBe(200);
    expect([await seenAs('2001:db8::1'), await seenAs('2001:db8::2'), await seenAs('2001:db8::3')]).toEqual([
      200, 200, 429,
    ]);
  });
});

it('returns its limits and switches to clients', async () => {
  const client = await clientWith({ CONTACT_EMAIL: 'help@example.org' });
  expect((await client.get('/config')).body).toEqual({
    maxTotalBytes: 11_703_785_881,
    statedTotalGb: 10,
    maxFilesPerPage: 1000,
    retentionDays: [1, 2, 3],
    defaultRetentionDays: 1,
    downloadLimit: { min: 1, max: 100, default: 5, shortcuts: [1, 3, 5, 10] },
    allowUnencrypted: false,
    hideNames: 'choice',
    requests: true,
    uploadTokenRequired: false,
    signIn: false,
    contactEmail: 'help@example.org',
    analytics: null,
    operator: {
      name: null,
      address: null,
      contact: 'help@example.org',
      phone: null,
      representative: null,
      privacyContact: null,
      euRepresentative: null,
      registerNumber: null,
      processors: null,
      serverCountry: null,
      law: null,
      court: null,
    },
    termsDate: null,
  });
});

describe('calls for the parts of files', () => {
  it('count for their address when a part is sent or received', async () => {
    const client = await clientWith({ PART_CALLS_PER_HOUR: 2 });
    const { body: upload } = await client.init();
    const url = upload.presignedUrl as string;
    for (const status of [403, 403, 429])
      expect((await server.fetch(`${url}0`, { method: 'PUT' })).status).toBe(status);
    const stored = `${server.url}/store/AAAAAAAAAAAAAAAAAAAAAA`;
    for (const status of [403, 403, 429]) expect((await server.fetch(stored)).status).toBe(status);
    server.wait(3_600_000);
    expect((await server.fetch(stored)).status).toBe(403);
  });

  it('may not write one part again and again', async () => {
    const client = await clientWith({ PART_CALLS_PER_HOUR: 1_000_000 });
    const { body: upload } = await client.init({ fileSize: 1 });
    const put = () => server.fetch(upload.presignedUrl as string, { method: 'PUT', body: new Uint8Array(29) });
    for (let sent = 0; sent < 150; sent += 1) expect((await put()).status).toBe(200);
    const refused = await put();
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true]);
    const { body: other } = await client.init({ fileSize: 1 });
    expect((await client.putPart(other, 1, new Uint8Array(29))).status).toBe(200);
  });

  it('and for the API document are limited', async () => {
    const client = await clientWith({ READS_PER_HOUR: 2 });
    for (const status of [200, 200, 429]) expect((await client.get('/openapi.json')).status).toBe(status);
  });
});
