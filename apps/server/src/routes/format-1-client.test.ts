// A client of format 1, written without our packages from the specification and docs/FORMAT.md: it uploads, lists and downloads. The
// specification alone is not enough: an encrypted file also needs `salt` and `keyCheck`.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const key = randomBytes(32);

function seal(plain: Buffer, aad: unknown[]): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(JSON.stringify(aad)));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(sealed: Buffer, aad: unknown[]): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
    .setAAD(Buffer.from(JSON.stringify(aad)))
    .setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

// oxlint-disable-next-line typescript/no-explicit-any -- the test reads any field of any response
async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<any> {
  const response = await server.fetch(`${server.url}/api${path}`, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBe(200);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? headers['cookie'] ?? '';
  return { ...((await response.json()) as object), cookie };
}

async function newSession(): Promise<Record<string, string>> {
  const { token, cookie } = await call('POST', '/csrf-token');
  return { cookie, 'x-csrf-token': token };
}

it('sends and receives a page of two files', async () => {
  const sender = await newSession();
  const fileIDs = [];
  const contents = [randomBytes(300), randomBytes(700)];
  for (const [n, plain] of contents.entries()) {
    const fileName = `文書 ${n}.txt`;
    const opened = await call(
      'POST',
      '/upload/init',
      {
        fileName,
        fileSize: plain.length,
        contentType: 'text/plain',
        totalParts: 1,
        downloadLimit: 1,
        retentionPeriod: 1,
        isEncrypted: true,
      },
      sender,
    );
    const { uploadId, fileKey, chunkSize } = opened;
    const salt = randomBytes(16).toString('base64');
    const part = seal(plain, ['furoshiki/1', salt, fileName, plain.length, chunkSize, 0, 1]);
    const { presignedUrl } = await call('POST', '/upload/presigned-url', { uploadId, fileKey, partNumber: 1 }, sender);
    const stored = await server.fetch(presignedUrl, { method: 'PUT', body: new Uint8Array(part) });
    const ETag = stored.headers.get('etag');
    const keyCheck = seal(Buffer.alloc(0), ['furoshiki/1', 'key-check', salt]).toString('base64');
    const parts = [{ PartNumber: 1, ETag }];
    const metadata = { chunkSize, salt, keyCheck };
    const done = await call('POST', '/upload/complete', { uploadId, fileKey, metadata, parts }, sender);
    fileIDs.push(done.downloadId);
  }
  const { pageID, fileCount } = await call('POST', '/batch/upload', { fileIDs }, sender);
  expect(fileCount).toBe(2);

  const recipient = await newSession();
  const { files } = await call('GET', `/download/page/${pageID}`, undefined, recipient);
  expect(files).toHaveLength(2);
  for (const [n, file] of files.entries()) {
    const grant = await call('GET', `/download/${file.id}`, undefined, recipient);
    expect(grant).toMatchObject({ fileName: `文書 ${n}.txt`, requiresDecryptionConfirmation: true });
    const sealed = Buffer.from(await (await server.fetch(grant.presignedUrl)).arrayBuffer());
    const aad = ['furoshiki/1', file.salt, file.fileName, file.fileSize, file.chunkSize, 0, 1];
    expect(open(sealed, aad)).toEqual(contents[n]);
    await call('POST', `/download/${file.id}/confirm`, {}, recipient);
  }
});
