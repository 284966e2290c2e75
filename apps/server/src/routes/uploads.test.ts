import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_TOTAL_BYTES, MB } from '@furoshiki/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer();
  client = new TestClient(server.url);
});
afterAll(() => server.close());

const bytesOf = (length: number) => new Uint8Array(randomBytes(length));
const folderOf = (fileKey: string) => join(server.folder, 'objects', fileKey.slice(0, 2), fileKey);
const salt = randomBytes(16).toString('base64');
const keyCheck = randomBytes(28).toString('base64');

/** An upload of one part of 1,000 bytes, with that part sent. */
async function sentPart() {
  const { body } = await client.init();
  const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
  const etag = (await client.putPart(upload, 1, bytesOf(1028))).headers.get('etag');
  const metadata = { chunkSize: body.chunkSize, salt, keyCheck };
  return { upload, etag, complete: { ...upload, metadata, parts: [{ PartNumber: 1, ETag: etag }] } };
}

describe('init', () => {
  it('answers names and the chunk size that decides', async () => {
    const { status, body } = await client.init({ fileSize: 61 * MB, totalParts: 99 });
    expect(status).toBe(200);
    expect(body).toEqual({
      uploadId: expect.any(String),
      fileKey: expect.stringMatching(/^[\w-]{22}$/u),
      chunkSize: 25 * MB,
      totalParts: 3,
    });
  });

  it.each([
    ['FILE_EMPTY', 400, { fileSize: 0 }],
    ['FILE_TOO_LARGE', 413, { fileSize: MAX_TOTAL_BYTES + 1 }],
    ['ENCRYPTION_REQUIRED', 400, { isEncrypted: false }],
    ['VALIDATION_FAILED', 400, { retentionPeriod: 7 }],
    ['VALIDATION_FAILED', 400, { fileName: 'a\0' }],
  ])('answers %s with %i', async (errorCode, status, change) => {
    const reply = await client.init(change);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ errorCode, error: expect.any(String), message: reply.body.error });
  });

  it('takes the largest file that is allowed', async () => {
    expect((await client.init({ fileSize: MAX_TOTAL_BYTES })).status).toBe(200);
  });
});

describe('a part', () => {
  it('is listed once stored, noted, and completes the file', async () => {
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

  it('beyond the plan gets no URL', async () => {
    const { upload } = await sentPart();
    const { status, body } = await client.post('/upload/presigned-url', { ...upload, partNumber: 2 });
    expect([status, body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
  });

  it('of an unknown upload gets none either', async () => {
    const { upload } = await sentPart();
    const { status } = await client.post('/upload/presigned-url', { ...upload, uploadId: 'x', partNumber: 1 });
    expect(status).toBe(404);
  });

  it('keeps its upload from being swept away as abandoned', async () => {
    const { upload, etag } = await sentPart();
    server.wait(23 * 3_600_000);
    await client.renewToken();
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag });
    server.wait(23 * 3_600_000);
    await client.renewToken();
    expect((await client.post('/upload/status', upload)).status).toBe(200);
  });
});

describe('complete', () => {
  it('gives the same answer when it is asked again, as after an answer that was lost', async () => {
    const { complete } = await sentPart();
    const first = await client.post('/upload/complete', complete);
    expect((await client.post('/upload/complete', complete)).body).toEqual(first.body);
  });

  it.each([
    ['PART_MISMATCH', 409, { parts: [{ PartNumber: 1, ETag: '"bent"' }] }],
    ['PART_MISMATCH', 409, { parts: [{ PartNumber: 2, ETag: '"x"' }] }],
    ['VALIDATION_FAILED', 400, { parts: [] }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 25 * MB } }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 24 * MB, salt, keyCheck } }],
    ['VALIDATION_FAILED', 400, { metadata: { chunkSize: 25 * MB, salt: 'short', keyCheck } }],
  ])('answers %s with %i and leaves the upload as it was', async (errorCode, status, change) => {
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

  it.each([
    ['VALIDATION_FAILED', (id: string) => [id, id]],
    ['VALIDATION_FAILED', () => []],
    ['VALIDATION_FAILED', (id: string) => Array.from({ length: 1001 }, () => id)],
    ['NOT_FOUND', (id: string) => [id, 'A'.repeat(22)]],
  ])('answers %s for ids that do not make a page', async (errorCode, idsOf) => {
    const { id } = await client.send(bytesOf(10));
    expect((await client.post('/batch/upload', { fileIDs: idsOf(id) })).body.errorCode).toBe(errorCode);
  });
});
