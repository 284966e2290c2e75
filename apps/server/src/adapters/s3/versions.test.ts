// Deleted means gone in a bucket that keeps versions, too.
import {
  type BucketVersioningStatus,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { TestClient } from '../../../testing/test-client.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { sweep } from '../../services/deletion.ts';
import { createS3Clients } from './s3-clients.ts';
import { createS3Store } from './s3-store.ts';

const DAY_MS = 86_400_000;

describe.skipIf(!hasCeph())('a bucket that keeps versions', () => {
  let ceph: Ceph;
  let client: S3Client;
  beforeAll(async () => {
    ceph = await sharedCeph();
    const { endpoint } = ceph;
    client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CEPH_KEYS });
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  const setVersioning = (Bucket: string, Status: BucketVersioningStatus) =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));

  /** Returns the keys of all versions and markers below files/. */
  async function versionsIn(Bucket: string): Promise<string[]> {
    const { Versions = [], DeleteMarkers = [] } = await client.send(
      new ListObjectVersionsCommand({ Bucket, Prefix: 'files/' }),
    );
    return [...Versions, ...DeleteMarkers].map(({ Key }) => Key ?? '');
  }

  it.each(['Enabled', 'Suspended'] as const)('has none of a file that is gone (%s)', async (status) => {
    const bucket = await ceph.newBucket();
    await setVersioning(bucket, 'Enabled');
    const server = await startTestServer({
      config: {
        S3_BUCKET: bucket,
        S3_ENDPOINT: ceph.endpoint,
        S3_PATH_STYLE: true,
        S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
        S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
        MAX_STORED_BYTES: 1024 ** 3,
      },
    });
    const browser = new TestClient(server);
    const deleted = await browser.send(new Uint8Array(100));
    await browser.send(new Uint8Array(100), { retentionPeriod: 1 });
    await browser.send(new Uint8Array(100), { retentionPeriod: 3 });
    await browser.init({});
    expect(await versionsIn(bucket)).toHaveLength(3);
    await setVersioning(bucket, status);
    await browser.delete(`/download/${deleted.id}`);
    server.wait(1.5 * DAY_MS);
    while ((await sweep(server.context, 50)) > 0);
    expect(await versionsIn(bucket)).toHaveLength(1);
    await server.close();
  });

  it('removes every version of an object that was written more than once', async () => {
    const bucket = await ceph.newBucket();
    await setVersioning(bucket, 'Enabled');
    const { store } = await openStore(bucket);
    const place = { Bucket: bucket, Key: 'files/any' };
    for (let n = 0; n < 3; n += 1) await client.send(new PutObjectCommand({ ...place, Body: 'x' }));
    // As an older version did.
    await client.send(new DeleteObjectCommand(place));
    expect(await versionsIn(bucket)).toHaveLength(4);
    await store.purge('any');
    expect(await versionsIn(bucket)).toEqual([]);
  });

  it('is noticed if it began to keep them after the server had started', async () => {
    const bucket = await ceph.newBucket();
    const { store } = await openStore(bucket);
    await store.delete('any');
    await setVersioning(bucket, 'Enabled');
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'files/other', Body: 'x' }));
    await store.delete('other');
    expect(await versionsIn(bucket)).toEqual([]);
  });

  it('costs other buckets nothing: a deletion is one request', async () => {
    const { store, sent } = await openStore(await ceph.newBucket());
    await store.delete('any');
    sent.splice(0);
    await store.delete('any');
    expect(sent).toEqual(['DeleteObjectCommand']);
  });

  /** `sent` lists the requests of the store. */
  async function openStore(bucket: string) {
    const where = { bucket, endpoint: ceph.endpoint, publicEndpoint: undefined, region: 'us-east-1' };
    const settings = { ...where, pathStyle: true, credentials: CEPH_KEYS };
    const clients = createS3Clients(settings);
    const sent: (string | undefined)[] = [];
    clients.inside.middlewareStack.add(
      (next, { commandName }) => {
        sent.push(commandName);
        return next;
      },
      { step: 'initialize' },
    );
    return { store: await createS3Store(settings, clients), sent };
  }
});
