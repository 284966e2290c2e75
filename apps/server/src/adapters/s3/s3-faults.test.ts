import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { createSigner } from '../../signing.ts';
import { createS3Clients, type S3Settings } from './s3-clients.ts';
import { s3FailureOf } from './s3-errors.ts';
import { createS3ProxyStore, createS3Store } from './s3-store.ts';

const DEADLINES = { ordinaryMs: 2000, completionMs: 2500 };
const SILENCE_MS = 1000;
const AWAY = { code: 'SERVICE_UNAVAILABLE', details: { retryAfterSeconds: 5 } };

describe.skipIf(!hasCeph())('a Ceph', () => {
  let ceph: Ceph;
  beforeAll(async () => {
    ceph = await sharedCeph();
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  const settingsFor = async (changes: Partial<S3Settings> = {}): Promise<S3Settings> => ({
    bucket: await ceph.newBucket(),
    region: 'us-east-1',
    endpoint: ceph.endpoint,
    publicEndpoint: undefined,
    pathStyle: true,
    credentials: CEPH_KEYS,
    ...changes,
  });

  const aKey = () => randomBytes(16).toString('base64url');

  async function setUp() {
    const proxy = await TcpProxy.start(Number(new URL(ceph.endpoint).port));
    const settings = await settingsFor({ endpoint: proxy.url });
    const clients = createS3Clients(settings, SILENCE_MS);
    return { proxy, settings, clients, store: await createS3Store(settings, clients, DEADLINES) };
  }

  it('that accepts connections and stays silent is away for every call, in time, and works once it continues', async () => {
    const { proxy, store } = await setUp();
    const key = aKey();
    const upload = { key, uploadId: await store.createUpload(key) };
    proxy.freeze();
    const calls = [
      store.createUpload(aKey()),
      store.listParts(upload),
      store.hasPart(upload, { partNumber: 1, etag: '' }),
      store.completeUpload(upload, []),
      store.abortUpload(upload),
      store.sizeOf(key),
      store.delete(key),
      store.purge(key),
      store.listKeys('', 10),
      store.ping(),
      store.readOwner(),
      store.writeOwner('ours'),
      store.expiresLeftovers(),
      buffer(store.read(key, 0, 10)),
    ];
    const results = await Promise.allSettled(calls);
    const refusal = { status: 'rejected', reason: expect.objectContaining({ ...AWAY, engineCode: 'ETIMEDOUT' }) };
    expect(results).toEqual(results.map(() => refusal));
    proxy.thaw();
    await store.ping();
    await store.createUpload(aKey());
    await proxy.discard();
  });

  it('that refuses connections is away, and works once it accepts them', async () => {
    const { proxy, store } = await setUp();
    await proxy.interrupt();
    await expect(store.createUpload(aKey())).rejects.toMatchObject({ ...AWAY, engineCode: 'ECONNREFUSED' });
    await proxy.resume();
    await store.createUpload(aKey());
    await proxy.discard();
  });

  it.each<[string, Partial<S3Settings>, string]>([
    ['a wrong secret', { credentials: { ...CEPH_KEYS, secretAccessKey: 'wrong' } }, 'SignatureDoesNotMatch'],
    ['an unknown key', { credentials: { ...CEPH_KEYS, accessKeyId: 'nobody' } }, 'InvalidAccessKeyId'],
    ['any request, because the bucket is missing,', { bucket: 'no-such-bucket' }, 'NoSuchBucket'],
  ])('that refuses %s is away, and every call names its own error', async (_what, changes, engineCode) => {
    const store = await createS3Store(await settingsFor(changes));
    const [key, upload] = [aKey(), { key: aKey(), uploadId: 'none' }];
    const calls = [
      store.createUpload(key),
      store.ping(),
      store.sizeOf(key),
      store.completeUpload(upload, []),
      store.readOwner(),
      buffer(store.read(key, 0, 10)),
    ];
    const refusal = { status: 'rejected', reason: expect.objectContaining({ ...AWAY, engineCode }) };
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => refusal));
  });

  describe('behind this server', () => {
    const partOf = async (store: ServedStore, length: number) => {
      const key = aKey();
      return { key, uploadId: await store.createUpload(key), partNumber: 1, offset: 0, length };
    };

    it('that falls silent ends the part that is sent, and the body', async () => {
      const { proxy, settings, clients } = await setUp();
      const store = await createS3ProxyStore(settings, createSigner(randomBytes(32)), clients);
      const part = await partOf(store, 100);
      proxy.freeze();
      const body = new PassThrough();
      const writing = store.writePart(part, body);
      body.write(randomBytes(50));
      await expect(writing).rejects.toMatchObject({ ...AWAY, engineCode: 'ETIMEDOUT' });
      expect(body.destroyed).toBe(true);
      proxy.thaw();
      await store.writePart(part, Readable.from([randomBytes(100)]));
      await proxy.discard();
    });

    it('is not blamed for a client that disconnects', async () => {
      const { proxy, settings, clients } = await setUp();
      const store = await createS3ProxyStore(settings, createSigner(randomBytes(32)), clients);
      const body = new PassThrough();
      const writing = store.writePart(await partOf(store, 100), body);
      body.write(randomBytes(50));
      body.destroy(new Error('the client is gone'));
      await expect(writing).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
      await proxy.discard();
    });
  });
});

describe('an error of S3', () => {
  const errorWith = (name: string, httpStatusCode: number) =>
    new S3ServiceException({ name, $fault: 'server', $metadata: { httpStatusCode } });

  it.each([
    ['SlowDown', 503],
    ['InternalError', 500],
    ['RequestTimeTooSkewed', 403],
    ['PermanentRedirect', 301],
    ['ExpiredToken', 400],
  ])('%s (%i) means that it is away', (name, status) => {
    expect(s3FailureOf(errorWith(name, status))).toMatchObject({ ...AWAY, engineCode: name });
  });

  it.each([
    ['QuotaExceeded', 403],
    ['XMinioStorageFull', 507],
  ])('%s (%i) means that it is full', (name, status) => {
    expect(s3FailureOf(errorWith(name, status))).toMatchObject({ code: 'QUOTA_EXCEEDED', engineCode: name });
  });

  it.each([
    ['InvalidArgument', 400],
    ['EntityTooSmall', 400],
    ['NotImplemented', 501],
  ])('%s (%i) is one of ours', (name, status) => {
    const error = errorWith(name, status);
    expect(s3FailureOf(error)).toBe(error);
  });

  it('of the connection has its code, and a bug is left as it is', () => {
    const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    expect(s3FailureOf(expired)).toMatchObject({ ...AWAY, engineCode: 'CERT_HAS_EXPIRED' });
    const bug = new TypeError('x is not a function');
    expect(s3FailureOf(bug)).toBe(bug);
  });
});
