import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { MAX_TOTAL_BYTES } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { sweep } from '../services/deletion.ts';
import { newCompletion, newUpload } from '../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../testing/no-limits.ts';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await createTestServer();
  client = new TestClient(server);
});
afterAll(() => server.close());

const bytesOf = (length: number) => new Uint8Array(randomBytes(length));
const folderOf = (fileKey: string) => join(server.folder, 'objects', fileKey.slice(0, 2), fileKey);
const salt = randomBytes(16).toString('base64');
const keyCheck = randomBytes(28).toString('base64');

const METADATA_2 = {
  format: 2,
  chunkSize: 25 * MB,
  pageSalt: salt,
  salt,
  keyCheck: randomBytes(32).toString('base64'),
  accessCheck: randomBytes(32).toString('base64'),
  details: 'c2VhbGVk',
};

/** An upload of one part of 1,000 bytes, with that part sent. */
async function sentPart(sender = client) {
  const { body } = await sender.init();
  const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
  const etag = (await sender.putPart(upload, 1, bytesOf(1028))).headers.get('etag');
  const metadata = { chunkSize: body.chunkSize, salt, keyCheck };
  return { upload, etag, complete: { ...upload, metadata, parts: [{ PartNumber: 1, ETag: etag }] } };
}

describe('init', () => {
  it('returns the ids of the upload and the chunk size to use', async () => {
    const { status, body } = await client.init({ fileSize: 61 * MB, totalParts: 99 });
    expect(status).toBe(200);
    expect(body).toEqual({
      uploadId: expect.any(String),
      fileKey: expect.stringMatching(/^[\w-]{22}$/u),
      chunkSize: 25 * MB,
      totalParts: 3,
      presignedUrl: expect.any(String),
    });
  });

  it('returns the URL of the first part, which takes exactly this part', async () => {
    const { body } = await client.init({ fileSize: 1000 });
    const put = (bytes: number) => client.put(body.presignedUrl, bytesOf(bytes));
    expect([(await put(1000)).status, (await put(1028)).status]).toEqual([400, 200]);
    const { body: held } = await client.post('/upload/status', { uploadId: body.uploadId, fileKey: body.fileKey });
    expect(held.parts).toMatchObject([{ PartNumber: 1 }]);
  });

  it.each([
    ['FILE_EMPTY', 400, { fileSize: 0 }, undefined],
    ['FILE_TOO_LARGE', 413, { fileSize: MAX_TOTAL_BYTES + 1 }, undefined],
    ['ENCRYPTION_REQUIRED', 400, { isEncrypted: false }, undefined],
    ['VALIDATION_FAILED', 400, { retentionPeriod: 7 }, 'body.retentionPeriod'],
    ['VALIDATION_FAILED', 400, { fileName: 'a\0' }, 'body.fileName'],
  ])('returns %s with status %i', async (errorCode, status, change, field) => {
    const reply = await client.init(change);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ errorCode, error: expect.any(String), message: reply.body.error, field });
  });

  it('accepts the largest file that is allowed', async () => {
    // Whatever room the disk of this machine has.
    const free = vi
      .spyOn(server.context.objects, 'free')
      .mockResolvedValue({ bytes: 4 * MAX_TOTAL_BYTES, inodes: undefined });
    expect((await client.init({ fileSize: MAX_TOTAL_BYTES })).status).toBe(200);
    free.mockRestore();
  });
});

async function later(hours: number): Promise<void> {
  server.wait(hours * 3_600_000);
  await client.renewToken();
}

describe('a part', () => {
  it('is listed once it is stored, and completes the file', async () => {
    const { upload, etag, complete } = await sentPart();
    expect((await client.post('/upload/status', upload)).body).toEqual({ parts: [{ PartNumber: 1, ETag: etag }] });
    const notice = await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag });
    expect(notice.body).toEqual({ success: true });
    const { body } = await client.post('/upload/complete', complete);
    expect(body).toEqual({
      fileUrl: `${server.url}/api/download/${body.downloadId}`,
      pageURL: `${server.url}/download/${body.pageID}`,
      pageID: expect.stringMatching(/^[\w-]{22}$/u),
      downloadId: expect.stringMatching(/^[\w-]{22}$/u),
    });
  });

  it('is refused before its first byte if its announced length is wrong', async () => {
    const listening = await startTestServer();
    const sender = new TestClient(listening);
    const { upload } = await sentPart(sender);
    const { body } = await sender.post('/upload/presigned-url', { ...upload, partNumber: 1 });
    const request = http.request(body.presignedUrl, { method: 'PUT', headers: { 'content-length': 5 } });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(400);
    request.destroy();
    // The part that was stored before is still there.
    expect((await sender.post('/upload/status', upload)).body.parts).toHaveLength(1);
    await listening.close();
  });

  it('gets no URL if its number is beyond the plan', async () => {
    const { upload } = await sentPart();
    const { status, body } = await client.post('/upload/presigned-url', { ...upload, partNumber: 2 });
    expect([status, body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
  });

  it('gets no URL for an unknown upload', async () => {
    const { upload } = await sentPart();
    const { status } = await client.post('/upload/presigned-url', { ...upload, uploadId: 'x', partNumber: 1 });
    expect(status).toBe(404);
  });

  it('keeps its upload from being removed as abandoned', async () => {
    const { upload, etag } = await sentPart();
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag });
    await later(23);
    // The same part again: nothing new has arrived.
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag });
    expect((await client.post('/upload/status', upload)).status).toBe(200);
    await later(1);
    expect((await client.post('/upload/status', upload)).status).toBe(404);
    await sweep(server.context, 100);
    expect(existsSync(folderOf(upload.fileKey))).toBe(false);
  });

  it('that is not stored cannot be reported, and does not keep an upload', async () => {
    const { body } = await client.init();
    const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
    await later(1 / 4);
    const notice = await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag: '"0"' });
    expect([notice.status, notice.body.errorCode]).toEqual([409, 'PART_MISMATCH']);
    await later(1 / 4);
    expect((await client.post('/upload/status', upload)).status).toBe(404);
    await sweep(server.context, 100);
    expect(await server.context.metadata.tally()).toMatchObject({ storedBytes: 0, openUploads: 0 });
  });

  it('is checked by itself if all parts were counted before', async () => {
    const { body } = await client.init({ fileSize: 26 * MB, totalParts: 2 });
    const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
    const stored = await client.putPart(upload, 2, new Uint8Array(MB + 28));
    const report = async (etag: string | null) =>
      (await client.post('/upload/complete-part', { ...upload, partNumber: 2, etag })).status;
    expect(await report(stored.headers.get('etag'))).toBe(200);
    const listParts = vi.spyOn(server.context.objects, 'listParts');
    expect([await report(stored.headers.get('etag')), await report('"0"')]).toEqual([200, 409]);
    expect(listParts).not.toHaveBeenCalled();
  });

  it('cannot keep an upload for more than three days', async () => {
    const { metadata, objects, clock, newId } = server.context;
    const fileKey = newId();
    const upload = { fileKey, uploadId: await objects.createUpload(fileKey) };
    const times = { openedAtMs: clock.nowMs() - 71 * 3_600_000, expiresAtMs: clock.nowMs() + 1000 };
    await metadata.insertUpload(newUpload({ ...upload, ...times, fileSize: 10, chunkSize: 10 }), NO_LIMITS);
    const put = await client.putPart(upload, 1, new Uint8Array(38));
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag: put.headers.get('etag') });
    await later(0.9);
    expect((await client.post('/upload/status', upload)).status).toBe(200);
    await later(0.1);
    expect((await client.post('/upload/status', upload)).status).toBe(404);
  });
});

describe('complete', () => {
  it('returns the same response when it is repeated after a lost response', async () => {
    const { complete } = await sentPart();
    const first = await client.post('/upload/complete', complete);
    expect((await client.post('/upload/complete', complete)).body).toEqual(first.body);
  });

  it.each([
    ['PART_MISMATCH', 409, { parts: [{ PartNumber: 1, ETag: '"wrong"' }] }],
    ['PART_MISMATCH', 409, { parts: [{ PartNumber: 2, ETag: '"x"' }] }],
    ['VALIDATION_FAILED', 400, { parts: [] }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 25 * MB } }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 24 * MB, salt, keyCheck } }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 25 * MB, salt: 'short', keyCheck } }],
    ['VALIDATION_FAILED', 400, { metadata: { format: 2, chunkSize: 25 * MB, salt, keyCheck } }],
    ['VALIDATION_FAILED', 400, { metadata: { ...METADATA_2, chunkSize: 24 * MB } }],
    ['VALIDATION_FAILED', 400, { metadata: { ...METADATA_2, keyCheck } }],
    ['VALIDATION_FAILED', 400, { metadata: { ...METADATA_2, accessCheck: undefined } }],
    ['VALIDATION_FAILED', 400, { metadata: { ...METADATA_2, details: 'A'.repeat(8193) } }],
    ['VALIDATION_FAILED', 400, { metadata: { ...METADATA_2, format: 3 } }],
  ])('returns %s with status %i and leaves the upload unchanged', async (errorCode, status, change) => {
    const { upload, complete } = await sentPart();
    const reply = await client.post('/upload/complete', { ...complete, ...change });
    expect([reply.status, reply.body.errorCode]).toEqual([status, errorCode]);
    expect((await client.post('/upload/status', upload)).body.parts).toHaveLength(1);
    expect((await client.post('/upload/complete', complete)).status).toBe(200);
  });

  it('closes the upload', async () => {
    const { upload, complete } = await sentPart();
    await client.post('/upload/complete', complete);
    const { status, body } = await client.post('/upload/presigned-url', { ...upload, partNumber: 1 });
    expect([status, body.errorCode]).toEqual([409, 'UPLOAD_CLOSED']);
  });
});

describe('an instance that allows files without encryption', () => {
  it('stores them unchanged and asks for no confirmation', async () => {
    const open = await createTestServer({ config: { ALLOW_UNENCRYPTED: true } });
    const sender = new TestClient(open);
    const { body: upload } = await sender.init({ fileSize: 500, isEncrypted: false });
    const bytes = bytesOf(500);
    expect((await sender.putPart(upload, 1, bytesOf(528))).status).toBe(400);
    const ETag = (await sender.putPart(upload, 1, bytes)).headers.get('etag');
    const parts = [{ PartNumber: 1, ETag }];
    const uploadRef = { uploadId: upload.uploadId, fileKey: upload.fileKey };
    const metadata = { chunkSize: upload.chunkSize };
    const sealed = await sender.post('/upload/complete', { ...uploadRef, metadata: METADATA_2, parts });
    expect([sealed.status, sealed.body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
    const { body: file } = await sender.post('/upload/complete', { ...uploadRef, metadata, parts });
    const { body: grant } = await sender.get(`/download/${file.downloadId}`);
    expect(grant.requiresDecryptionConfirmation).toBe(false);
    expect(new Uint8Array(await (await open.fetch(grant.presignedUrl)).arrayBuffer())).toEqual(bytes);
    await open.close();
  });
});

describe('cancel', () => {
  it('removes the bytes and the upload', async () => {
    const { upload } = await sentPart();
    expect(existsSync(folderOf(upload.fileKey))).toBe(true);
    expect((await client.post('/upload/cancel', upload)).body).toEqual({ success: true });
    expect(existsSync(folderOf(upload.fileKey))).toBe(false);
    expect((await client.post('/upload/status', upload)).status).toBe(404);
    expect((await client.post('/upload/cancel', upload)).status).toBe(404);
  });

  it('never removes a file that is complete', async () => {
    const { upload, complete } = await sentPart();
    const { body } = await client.post('/upload/complete', complete);
    expect((await client.post('/upload/cancel', upload)).status).toBe(404);
    expect((await client.get(`/download/info/${body.downloadId}`)).status).toBe(200);
  });
});

describe('batch', () => {
  it('puts files on one page in the order given', async () => {
    const [one, two] = [await client.send(bytesOf(10)), await client.send(bytesOf(20))];
    const { body } = await client.post('/batch/upload', { fileIDs: [two.id, one.id] });
    expect(body).toEqual({
      pageID: expect.any(String),
      downloadURL: `${server.url}/download/${body.pageID}`,
      fileCount: 2,
    });
    const page = await client.get(`/download/page/${body.pageID}`);
    expect(page.body.files.map((file: { id: string }) => file.id)).toEqual([two.id, one.id]);
  });

  it('returns SIZE_EXCEEDED if the files are too large for one page', async () => {
    const { metadata, newId, clock } = server.context;
    const ids = await Promise.all(
      [newId(), newId()].map(async (id) => {
        const fileSize = MAX_TOTAL_BYTES / 2 + 1;
        const expiresAtMs = clock.nowMs() + 1e6;
        await metadata.insertUpload(newUpload({ id, fileKey: id, fileSize, expiresAtMs }), NO_LIMITS);
        await metadata.completeUpload(id, newCompletion({ createdAtMs: clock.nowMs(), expiresAtMs }));
        return id;
      }),
    );
    const { status, body } = await client.post('/batch/upload', { fileIDs: ids });
    expect([status, body.errorCode]).toEqual([413, 'SIZE_EXCEEDED']);
  });

  it.each([
    ['VALIDATION_FAILED', (id: string) => [id, id]],
    ['VALIDATION_FAILED', () => []],
    ['VALIDATION_FAILED', (id: string) => Array.from({ length: 1001 }, () => id)],
    ['NOT_FOUND', (id: string) => [id, 'A'.repeat(22)]],
  ])('returns %s for ids that cannot form a page', async (errorCode, idsOf) => {
    const { id } = await client.send(bytesOf(10));
    expect((await client.post('/batch/upload', { fileIDs: idsOf(id) })).body.errorCode).toBe(errorCode);
  });
});
