import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { sharedCeph } from '../../../testing/backends.ts';
import { grantRead } from '../../../testing/grant-read.ts';
import { TestClient } from '../../../testing/test-client.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { describeObjectStore } from '../../../testing/contracts/object-store.contract.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { createSigner } from '../../signing.ts';
import { createS3ProxyStore } from './s3-store.ts';

describe.skipIf(!hasCeph())('Ceph behind this server', () => {
  let ceph: Ceph;
  beforeAll(async () => {
    ceph = await sharedCeph();
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  const makeStore = async (): Promise<ServedStore> => {
    const where = { bucket: await ceph.newBucket(), endpoint: ceph.endpoint, publicEndpoint: undefined };
    return createS3ProxyStore(
      { ...where, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS },
      createSigner(randomBytes(32)),
    );
  };

  const startServer = async () =>
    startTestServer({
      config: {
        S3_BUCKET: await ceph.newBucket(),
        S3_ENDPOINT: ceph.endpoint,
        S3_PATH_STYLE: true,
        S3_PROXY: true,
        MAX_STORED_BYTES: 1024 ** 4,
        S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
        S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
      },
    });

  describeObjectStore('S3 (Ceph) through the server', async () => {
    const { context, url, close } = await startServer();
    return { store: context.objects, siteUrl: url, grantRead: (key) => grantRead(context, key), discard: close };
  });

  async function anUpload(store: ServedStore) {
    const key = randomBytes(16).toString('base64url');
    return { key, uploadId: await store.createUpload(key), partNumber: 1, offset: 0, length: 100 };
  }

  it.each([99, 101])('refuses a body of %i bytes if 100 were announced to the store', async (length) => {
    const store = await makeStore();
    const part = await anUpload(store);
    const writing = store.writePart(part, Readable.from([randomBytes(length)]));
    await expect(writing).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
    expect(await store.listParts(part)).toEqual([]);
  });

  it('fails when the body ends early, and accepts the part when it is sent again', async () => {
    const store = await makeStore();
    const part = await anUpload(store);
    const body = new PassThrough();
    const writing = store.writePart(part, body);
    body.write(randomBytes(50));
    body.destroy(new Error('the client is gone'));
    await expect(writing).rejects.toBeInstanceOf(Error);
    const etag = await store.writePart(part, Readable.from([randomBytes(100)]));
    expect(await store.listParts(part)).toEqual([{ partNumber: 1, etag, length: 100 }]);
  });

  it('serves a file by signed URL and by grant, only from this server', async () => {
    const server = await startServer();
    const client = new TestClient(server.url);
    const file = await client.send(new Uint8Array(randomBytes(6 * 1024 * 1024)));
    const { body } = await client.get(`/download/${file.id}`);
    expect(new URL(body.presignedUrl).origin).toBe(server.url);
    const signed = await fetch(body.presignedUrl, { headers: { range: 'bytes=5-104' } });
    const granted = await fetch(`${server.url}/api/download/file/${file.id}`, {
      headers: { cookie: client.cookie, range: 'bytes=5-104' },
    });
    expect([signed.status, granted.status]).toEqual([206, 206]);
    expect(await signed.bytes()).toEqual(await granted.bytes());
    await client.post(`/download/${file.id}/confirm`);
    expect((await fetch(body.presignedUrl)).status).toBe(403);
    await server.close();
  });
});
