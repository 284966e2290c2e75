import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { sweep } from '../services/deletion.ts';

const HOUR = 3_600_000;
/** A margin before a deadline that is long enough even for a slow test. */
const MARGIN = 10 * 60_000;
let server: TestServer;
let sender: TestClient;
let recipient: TestClient;
beforeEach(async () => {
  server = await createTestServer();
  sender = new TestClient(server);
  recipient = new TestClient(server);
});
afterEach(() => server.close());

const someBytes = () => new Uint8Array(randomBytes(5000));
const objectCount = async () => (await server.context.objects.listKeys('', 100)).length;
const usedDownloads = async (id: string) => (await sender.get(`/download/info/${id}`)).body.currentDownloads;

describe('a page', () => {
  it('lists its files with everything a client needs to decrypt them', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 7, retentionPeriod: 2 });
    const { body } = await recipient.get(`/download/page/${file.pageID}`);
    expect(body.files).toEqual([
      {
        id: file.id,
        fileName: 'report.pdf',
        fileSize: 5000,
        isEncrypted: true,
        maxDownloads: 7,
        currentDownloads: 0,
        createdAt: expect.any(Number),
        expiresAt: body.files[0].createdAt + 2 * 24 * 3600,
        retentionPeriod: 2,
        chunkSize: 25 * 1024 * 1024,
        format: 1,
        salt: expect.any(String),
        keyCheck: expect.any(String),
        granted: false,
      },
    ]);
  });

  it('keeps its files for three days if no retention period is given', async () => {
    const file = await sender.send(someBytes(), { retentionPeriod: undefined });
    const { body } = await recipient.get(`/download/info/${file.id}`);
    expect([body.retentionPeriod, body.expiresAt - body.createdAt]).toEqual([3, 72 * 3600]);
  });

  it('returns 404 to every call once it has expired; the next sweep removes its bytes', async () => {
    const file = await sender.send(someBytes());
    server.wait(24 * HOUR - MARGIN);
    expect((await recipient.get(`/download/page/${file.pageID}`)).status).toBe(200);
    server.wait(MARGIN);
    await sender.renewToken();
    const upload = { uploadId: file.uploadId, fileKey: file.fileKey };
    const gone = [
      await sender.post('/upload/status', upload),
      await sender.post('/upload/presigned-url', { ...upload, partNumber: 1 }),
      await sender.post('/upload/complete', {
        ...upload,
        metadata: { chunkSize: 1 },
        parts: [{ PartNumber: 1, ETag: 'x' }],
      }),
      await recipient.get(`/download/page/${file.pageID}`),
      await recipient.get(`/download/info/${file.id}`),
      await recipient.get(`/download/${file.id}`),
      await sender.delete(`/download/${file.id}`),
      await sender.post('/batch/upload', { fileIDs: [file.id] }),
      await recipient.get(`/download/${'A'.repeat(22)}`),
    ];
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(gone.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await objectCount()).toBe(1);
    expect(await sweep(server.context, 10)).toBe(1);
    expect(await objectCount()).toBe(0);
  });
});

describe('a grant', () => {
  it('is given to exactly 3 of 40 concurrent clients if the limit is 3', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 3 });
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => new TestClient(server).get(`/download/${file.id}`)),
    );
    const granted = replies.filter(({ status }) => status === 200);
    expect(granted).toHaveLength(3);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.errorCode}`))).toEqual(
      new Set(['403 DOWNLOAD_LIMIT_REACHED']),
    );
  });

  it('returns an absolute URL that serves the stored bytes, also in ranges, as an attachment', async () => {
    const file = await sender.send(someBytes());
    const { body } = await recipient.get(`/download/${file.id}`);
    expect(body).toEqual({
      presignedUrl: expect.stringMatching(`^${server.url}/store/`),
      fileName: 'report.pdf',
      contentType: 'text/plain',
      requiresDecryptionConfirmation: true,
    });
    const whole = await server.fetch(body.presignedUrl);
    expect((await whole.arrayBuffer()).byteLength).toBe(5028);
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    expect(whole.headers.get('content-disposition')).toBe('attachment');
    expect(whole.headers.get('cache-control')).toBe('no-store');
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const range = await server.fetch(body.presignedUrl, { headers: { range: 'bytes=10-19' } });
    expect([range.status, (await range.arrayBuffer()).byteLength]).toEqual([206, 10]);
  });

  it('is renewed for the same browser without using up a download, until it is confirmed', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 2 });
    for (let n = 0; n < 3; n += 1) expect((await recipient.get(`/download/${file.id}`)).status).toBe(200);
    expect(await usedDownloads(file.id)).toBe(1);
    expect((await recipient.get(`/download/page/${file.pageID}`)).body.files[0].granted).toBe(true);
    await recipient.post(`/download/${file.id}/confirm`);
    await recipient.get(`/download/${file.id}`);
    expect((await recipient.get(`/download/info/${file.id}`)).body.currentDownloads).toBe(2);
  });

  it('deletes the file when the last download is confirmed', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 1 });
    await recipient.get(`/download/${file.id}`);
    expect((await sender.get(`/download/info/${file.id}`)).status).toBe(404);
    expect((await sender.get(`/download/page/${file.pageID}`)).body.files[0].currentDownloads).toBe(1);
    expect(await objectCount()).toBe(1);
    expect((await recipient.post(`/download/${file.id}/confirm`)).body).toEqual({ success: true });
    expect(await objectCount()).toBe(0);
    expect((await recipient.get(`/download/page/${file.pageID}`)).status).toBe(404);
    // The client did not get the first response.
    expect(await recipient.post(`/download/${file.id}/confirm`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
  });

  it('lets the sweeper delete a file at its limit only after an unconfirmed grant has expired', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 1, retentionPeriod: 3 });
    await recipient.get(`/download/${file.id}`);
    server.wait(12 * HOUR - MARGIN);
    await sweep(server.context, 10);
    expect((await recipient.get(`/download/${file.id}`)).status).toBe(200);
    server.wait(MARGIN);
    await sweep(server.context, 10);
    expect(await objectCount()).toBe(0);
  });

  it.each([
    ['a link preview', 'GET', { accept: 'text/html,*/*' }, 406],
    ['a scanner that accepts anything', 'GET', { accept: '*/*' }, 406],
    ['a HEAD request', 'HEAD', {}, 405],
  ])('is not counted for %s', async (_, method, headers, status) => {
    const file = await sender.send(someBytes());
    const response = await server.fetch(`${server.url}/api/download/${file.id}`, { method, headers });
    expect(response.status).toBe(status);
    expect(await usedDownloads(file.id)).toBe(0);
  });

  it('is not counted with demo=true', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 1 });
    const { body } = await recipient.get(`/download/${file.id}?demo=true`);
    expect(body).toMatchObject({ presignedUrl: '', fileName: 'report.pdf', requiresDecryptionConfirmation: true });
    expect(await usedDownloads(file.id)).toBe(0);
    await recipient.get(`/download/${file.id}`);
    expect((await sender.get(`/download/${file.id}?demo=true`)).body.errorCode).toBe('DOWNLOAD_LIMIT_REACHED');
  });

  it('ends its URL: after 500 reads and a confirmation, that URL serves nothing, with or without a cookie', async () => {
    const file = await sender.send(someBytes(), { downloadLimit: 2 });
    const { presignedUrl } = (await recipient.get(`/download/${file.id}`)).body;
    expect(presignedUrl).not.toContain(file.id);
    const read = async (headers: Record<string, string> = {}) => {
      const response = await server.fetch(presignedUrl, { headers: { range: 'bytes=0-9', ...headers } });
      return response.ok ? response.status : ((await response.json()) as { errorCode: string }).errorCode;
    };
    const readOften = async () => new Set(await Promise.all(Array.from({ length: 500 }, () => read())));
    expect(await readOften()).toEqual(new Set([206]));
    await recipient.post(`/download/${file.id}/confirm`);
    expect(await readOften()).toEqual(new Set(['URL_EXPIRED']));
    expect(await read({ cookie: recipient.cookie })).toBe('URL_EXPIRED');
    await recipient.get(`/download/${file.id}`);
    await sender.delete(`/download/${file.id}`);
    expect(await read()).toBe('NOT_FOUND');
  });

  it('ends its URL when it expires', async () => {
    const file = await sender.send(someBytes(), { retentionPeriod: 3 });
    await recipient.get(`/download/${file.id}`);
    server.wait(12 * HOUR - MARGIN);
    const { presignedUrl } = (await recipient.get(`/download/${file.id}`)).body;
    const status = async (url: string) => (await server.fetch(url)).status;
    expect(await status(presignedUrl)).toBe(200);
    server.wait(MARGIN);
    expect(await status(presignedUrl)).toBe(403);
  });

  it('has a URL in which nothing can be changed, also to the grant of another client', async () => {
    const file = await sender.send(someBytes());
    const urlFor = async (client: TestClient) => new URL((await client.get(`/download/${file.id}`)).body.presignedUrl);
    const [own, other] = [await urlFor(recipient), await urlFor(new TestClient(server))];
    const codeWith = async (name: string, value = '') => {
      const url = new URL(own);
      url.searchParams.set(name, value);
      const response = await server.fetch(url.href);
      return response.ok ? response.status : ((await response.json()) as { errorCode: string }).errorCode;
    };
    const later = String(Number(own.searchParams.get('expires')) + 1);
    for (const [name, value] of [
      ['client', other.searchParams.get('client')],
      ['client', 'another'],
      ['signature', other.searchParams.get('signature')],
      ['expires', later],
    ] as const)
      expect([name, await codeWith(name, value ?? '')]).toEqual([name, 'SIGNATURE_INVALID']);
  });

  it('returns no URL that is valid longer than the file', async () => {
    const file = await sender.send(someBytes());
    server.wait(24 * HOUR - MARGIN);
    const { body } = await recipient.get(`/download/${file.id}`);
    server.wait(MARGIN);
    expect((await server.fetch(body.presignedUrl)).status).toBe(403);
  });
});

describe('the stored bytes below /api', () => {
  const fetchFile = (client: TestClient, id: string, headers: Record<string, string> = {}) =>
    server.fetch(`${server.url}/api/download/file/${id}`, { headers: { cookie: client.cookie, ...headers } });

  it('are served, also in ranges, only to a client with a grant', async () => {
    const file = await sender.send(someBytes());
    await recipient.get(`/download/${file.id}`);
    const whole = await fetchFile(recipient, file.id);
    expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, 5028]);
    const range = await fetchFile(recipient, file.id, { range: 'bytes=5000-' });
    expect([range.status, (await range.arrayBuffer()).byteLength]).toEqual([206, 28]);
    const foreign = await fetchFile(sender, file.id);
    expect([foreign.status, ((await foreign.json()) as { errorCode: string }).errorCode]).toEqual([403, 'FORBIDDEN']);
    expect(await usedDownloads(file.id)).toBe(1);
    await recipient.post(`/download/${file.id}/confirm`);
    expect((await fetchFile(recipient, file.id)).status).toBe(403);
    expect((await fetchFile(recipient, 'A'.repeat(22))).status).toBe(404);
    expect((await fetchFile(recipient, 'x')).status).toBe(404);
  });
});

describe('delete', () => {
  it('removes the file and its bytes at once', async () => {
    const file = await sender.send(someBytes());
    expect((await recipient.delete(`/download/${file.id}`)).body).toEqual({ success: true });
    expect(await objectCount()).toBe(0);
    expect((await recipient.get(`/download/page/${file.pageID}`)).status).toBe(404);
    expect((await recipient.get(`/download/info/${file.id}`)).status).toBe(404);
    expect((await recipient.delete(`/download/${file.id}`)).status).toBe(404);
  });
});
