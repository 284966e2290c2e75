// What the doctor finds out about a bucket: who may use it without a signature, and whether it keeps versions.
import {
  type BucketCannedACL,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { createPatient, type Patient } from '../../../testing/patient.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import { createS3Store } from '../../adapters/s3/s3-store.ts';
import type { RemoteStore } from '../../ports/object-store.ts';

describe.skipIf(!hasCeph())('of a bucket', () => {
  let ceph: Ceph;
  let client: S3Client;
  let publicEndpoint: TcpProxy;
  beforeAll(async () => {
    ceph = await sharedCeph();
    const { endpoint } = ceph;
    client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CEPH_KEYS });
    publicEndpoint = await TcpProxy.start(Number(new URL(endpoint).port));
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(async () => {
    await publicEndpoint.discard();
    await ceph.stop();
  });

  let patient: Patient;
  let bucket: string;
  let remote: RemoteStore;
  beforeEach(async () => {
    patient = await createPatient();
    bucket = await ceph.newBucket();
    const where = { bucket, endpoint: ceph.endpoint, publicEndpoint: publicEndpoint.url, region: 'us-east-1' };
    remote = await createS3Store({ ...where, pathStyle: true, credentials: CEPH_KEYS });
  });
  afterEach(() => patient.discard());

  async function findingOf(name: string, shouldFix = false) {
    const bent = { store: { objects: remote, served: undefined, remote } };
    const { findings } = await patient.diagnose({ S3_BUCKET: bucket, MAX_STORED_BYTES: '1GB' }, bent, shouldFix);
    // Nothing stays behind, not even what a stranger was allowed to write.
    expect(await remote.listKeys('', 10)).toEqual([]);
    return findings.find((finding) => finding.name === name);
  }

  it('reports that strangers are refused', async () => {
    expect(await findingOf('strangers')).toMatchObject({ state: 'ok' });
  });

  it.each([
    ['public-read', ['list']],
    ['public-read-write', ['list', 'write', 'delete']],
  ] as [BucketCannedACL, string[]][])('reports what strangers may do with the ACL %s', async (ACL, verbs) => {
    await client.send(new PutBucketAclCommand({ Bucket: bucket, ACL }));
    const finding = await findingOf('strangers');
    expect(finding?.state).toBe('failed');
    const found = Array.from((finding?.text ?? '').matchAll(/(\w+) \(status 20\d, (\S+)\)/gu), ([, verb, at]) => [
      at,
      verb,
    ]);
    const addresses = [publicEndpoint.url, new URL(ceph.endpoint).origin];
    expect(found).toEqual(addresses.flatMap((address) => verbs.map((verb) => [address, verb])));
  });

  it('reports a policy that lets strangers read', async () => {
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
    expect(await findingOf('strangers')).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/signature: read \(status 200, \S+\), read \(status 200, \S+\)\./u),
    });
  });

  it('reports versions that stay, and makes the bucket remove them', async () => {
    await remote.expireLeftovers();
    expect(await findingOf('lifecycle')).toMatchObject({ state: 'ok' });
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
    expect(await findingOf('lifecycle')).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('keeps versions'),
    });
    expect(await findingOf('lifecycle', true)).toMatchObject({ state: 'ok' });
  });
});
