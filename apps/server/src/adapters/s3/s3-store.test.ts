import { randomBytes } from 'node:crypto';
import {
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { type Ceph, CEPH_KEYS, startCeph } from '../../../testing/ceph.ts';
import { sharedCeph } from '../../../testing/backends.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import { describeObjectStore } from '../../../testing/contracts/object-store.contract.ts';
import { createS3Clients } from './s3-clients.ts';
import { createS3Store } from './s3-store.ts';

describe.skipIf(!hasCeph())('Ceph', () => {
  let ceph: Ceph;
  beforeAll(async () => {
    ceph = await sharedCeph();
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  const settingsFor = async (store = ceph) => ({
    bucket: await store.newBucket(),
    region: 'us-east-1',
    endpoint: store.endpoint,
    publicEndpoint: undefined,
    pathStyle: true,
    credentials: CEPH_KEYS,
  });

  describeObjectStore('S3 (Ceph)', async () => ({
    store: await createS3Store(await settingsFor()),
    siteUrl: 'https://unused.example',
    grantRead: () => Promise.resolve('anyone'),
    discard: () => Promise.resolve(),
  }));

  const aKey = () => randomBytes(16).toString('base64url');
  const soon = () => Date.now() + 60_000;

  it('signs for the public endpoint, binds the length, and puts no checksum into a URL', async () => {
    const settings = { ...(await settingsFor()), publicEndpoint: 'https://bytes.example.org' };
    const store = await createS3Store(settings);
    expect(store.origin).toBe('https://bytes.example.org');
    const part = { key: aKey(), uploadId: 'upload', partNumber: 1, offset: 0, length: 100 };
    const put = new URL(await store.signPartUrl({ ...part, siteUrl: '', expiresAtMs: soon() }));
    const get = new URL(await store.signReadUrl({ key: part.key, clientHash: '', siteUrl: '', expiresAtMs: soon() }));
    expect(put.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
    for (const url of [put, get]) {
      expect(url.origin).toBe('https://bytes.example.org');
      expect([...url.searchParams.keys()].filter((name) => /checksum|crc/iu.test(name))).toEqual([]);
      expect(Number(url.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60);
    }
    const named = await createS3Store({ ...settings, pathStyle: false });
    expect(named.origin).toBe(`https://${settings.bucket}.bytes.example.org`);
  });

  it('does not complete an upload again if its object exists, even if the store still lists the upload', async () => {
    const settings = await settingsFor();
    const clients = createS3Clients(settings);
    const store = await createS3Store(settings, clients);
    const key = aKey();
    const uploadId = await store.createUpload(key);
    const part = { key, uploadId, partNumber: 1, offset: 0, length: 100 };
    const url = await store.signPartUrl({ ...part, siteUrl: '', expiresAtMs: soon() });
    const put = await fetch(url, { method: 'PUT', body: new Uint8Array(100) });
    const parts = [{ partNumber: 1, etag: put.headers.get('etag') ?? '', length: 100 }];
    const listed = await store.listParts({ key, uploadId });
    await store.completeUpload({ key, uploadId }, parts);
    const sent: string[] = [];
    // What a gateway leaves that died after it wrote the object.
    clients.inside.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          sent.push(commandName ?? '');
          if (commandName !== 'ListPartsCommand') return next(args);
          const Parts = listed.map(({ partNumber, etag, length }) => ({
            PartNumber: partNumber,
            ETag: etag,
            Size: length,
          }));
          return { output: { $metadata: {}, Parts }, response: {} };
        },
      { step: 'initialize' },
    );
    clients.withoutRetries.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          sent.push(commandName ?? '');
          return next(args);
        },
      { step: 'initialize' },
    );
    await store.completeUpload({ key, uploadId }, parts);
    expect(sent).toEqual(['HeadObjectCommand']);
  });

  it('allows pages of one origin, and exposes the ETag', async () => {
    const store = await createS3Store(await settingsFor());
    await store.allowBrowsers('https://files.example.org');
    const key = aKey();
    const upload = { key, uploadId: await store.createUpload(key) };
    const url = await store.signPartUrl({
      ...upload,
      partNumber: 1,
      offset: 0,
      length: 3,
      siteUrl: '',
      expiresAtMs: soon(),
    });
    const preflight = (origin: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
      });
    expect((await preflight('https://files.example.org')).headers.get('access-control-allow-origin')).toBe(
      'https://files.example.org',
    );
    expect((await preflight('https://other.example.org')).headers.get('access-control-allow-origin')).toBeNull();
    const put = await fetch(url, { method: 'PUT', body: 'abc', headers: { origin: 'https://files.example.org' } });
    expect(put.status).toBe(200);
    expect(put.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('etag');
  });

  it('makes the store remove leftovers, and nothing else', async () => {
    // Not the shared one: radosgw-admin would also remove the files of other tests, even if it is given one bucket.
    const own = await startCeph();
    onTestFinished(() => own.stop());
    const store = await createS3Store(await settingsFor(own));
    await store.writeOwner('mine');
    await store.createUpload(aKey());
    await store.expireLeftovers();
    await expect
      .poll(
        async () => {
          await own.runLifecycles();
          return store.listKeys('', 10);
        },
        { interval: 1000 },
      )
      .toEqual([]);
    expect(await store.readOwner()).toBe('mine');
  });

  it('can be set up repeatedly beside the rules of others', async () => {
    const { bucket, ...settings } = await settingsFor();
    const client = new S3Client({ ...settings, forcePathStyle: true });
    const theirs = { ID: 'theirs', AllowedOrigins: ['https://theirs.example.org'], AllowedMethods: ['GET'] };
    const old = { ID: 'old', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 } } as const;
    await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [theirs] } }));
    const LifecycleConfiguration = { Rules: [old] };
    await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration }));
    const store = await createS3Store({ ...settings, bucket });
    expect(await store.expiresLeftovers()).toBe(false);
    for (const origin of ['https://old.example.org', 'https://files.example.org']) {
      await store.allowBrowsers(origin);
      await store.expireLeftovers();
    }
    expect(await store.expiresLeftovers()).toBe(true);
    const { CORSRules = [] } = await client.send(new GetBucketCorsCommand({ Bucket: bucket }));
    expect(CORSRules.map(({ AllowedOrigins }) => AllowedOrigins?.join())).toEqual(
      expect.arrayContaining(['https://files.example.org', 'https://theirs.example.org']),
    );
    expect(CORSRules).toHaveLength(2);
    const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }));
    expect(Rules.map(({ ID }) => ID)).toEqual(expect.arrayContaining(['furoshiki-leftovers', 'old']));
    expect(Rules).toHaveLength(2);
  });

  it('lists more parts than one response contains', async () => {
    const store = await createS3Store(await settingsFor());
    const key = aKey();
    const upload = { key, uploadId: await store.createUpload(key) };
    const numbers = Array.from({ length: 1005 }, (_, n) => n + 1);
    const send = async (partNumber: number) => {
      const place = { ...upload, partNumber, offset: 0, length: 3 };
      await fetch(await store.signPartUrl({ ...place, siteUrl: '', expiresAtMs: soon() }), {
        method: 'PUT',
        body: 'abc',
      });
    };
    for (let at = 0; at < numbers.length; at += 50) await Promise.all(numbers.slice(at, at + 50).map(send));
    expect((await store.listParts(upload)).map(({ partNumber }) => partNumber)).toEqual(numbers);
  });

  it('fails its ping if the bucket is missing', async () => {
    const store = await createS3Store({ ...(await settingsFor()), bucket: 'no-such-bucket' });
    await expect(store.ping()).rejects.toBeInstanceOf(Error);
  });

  it('fails its ping within seconds while the store is down, and works again when it is up', async () => {
    const proxy = await TcpProxy.start(Number(new URL(ceph.endpoint).port));
    const store = await createS3Store({ ...(await settingsFor()), endpoint: proxy.url });
    await store.ping();
    await proxy.interrupt();
    await expect(store.ping()).rejects.toBeInstanceOf(Error);
    await proxy.resume();
    await store.ping();
    await proxy.discard();
  });
});
