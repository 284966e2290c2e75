// What an S3 store says at a failed start, and in the doctor: Ceph, and a store that gives any other error.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../../testing/backends.ts';
import { type MadeCertificate, makeCertificate } from '../../../testing/certificate.ts';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { freePort, runToExit } from '../../../testing/process.ts';
import { expectSameCause, type Settings } from '../../../testing/start-and-doctor.ts';
import { createS3Store } from '../../adapters/s3/s3-store.ts';
import { readConfig } from '../../config/config.ts';
import { createServer as createFuroshiki } from '../../server.ts';

let DATA_DIR: string;
let settings: Settings;
beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'furoshiki-start-s3-'));
  settings = {
    DATA_DIR,
    S3_BUCKET: 'bucket',
    S3_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
    MAX_STORED_BYTES: '1GB',
  };
});
afterEach(() => rm(DATA_DIR, { recursive: true }));

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const start = async (config: Settings) =>
  (await createFuroshiki(readConfig({ PORT: '0', ...config }), { webRoot: import.meta.dirname })).stop();

describe('a store that responds with an error', () => {
  let store: Server;
  let status: number;
  let code: string;
  beforeAll(async () => {
    store = createServer((request, response) => {
      const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>for ${CEPH_KEYS.accessKeyId}</Message></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? '' : body);
    }).listen(0, '127.0.0.1');
    await once(store, 'listening');
  });
  afterAll(() => store.close());

  it.each([
    [404, 'NoSuchBucket', /create it, or correct S3_BUCKET/u],
    [403, 'SignatureDoesNotMatch', /S3_SECRET_ACCESS_KEY does not belong to/u],
    [403, 'InvalidAccessKeyId', /correct S3_ACCESS_KEY_ID/u],
    [403, 'AccessDenied', /permissions/u],
    [403, 'UserSuspended', /suspended/u],
    [301, 'PermanentRedirect', /S3_REGION/u],
    [400, 'AuthorizationHeaderMalformed', /S3_REGION/u],
    [403, 'RequestTimeTooSkewed', /clocks/u],
  ])('%i %s', async (givenStatus, givenCode, advice) => {
    [status, code] = [givenStatus, givenCode];
    const S3_ENDPOINT = `http://127.0.0.1:${portOf(store)}`;
    const problem = new RegExp(`^the bucket bucket cannot be used \\(${code}\\)$`, 'u');
    expect((await expectSameCause({ ...settings, S3_ENDPOINT }, problem)).advice).toMatch(advice);
  });
});

describe('a store that cannot be reached', () => {
  it('because nothing listens, or its name is unknown', async () => {
    const refused = { ...settings, S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    expect((await expectSameCause(refused, /\(ECONNREFUSED\)$/u)).advice).toContain('nothing listens there');
    const unknown = { ...settings, S3_ENDPOINT: 'http://store.invalid' };
    expect((await expectSameCause(unknown, /\((?:ENOTFOUND|EAI_AGAIN)\)$/u)).advice).toContain('host name');
  });

  it('because this machine does not trust its certificate', async () => {
    const certificate: MadeCertificate = await makeCertificate();
    const store = createHttpsServer({ cert: certificate.cert, key: certificate.key }).listen(0, '127.0.0.1');
    await once(store, 'listening');
    const S3_ENDPOINT = `https://127.0.0.1:${portOf(store)}`;
    const { advice } = await expectSameCause({ ...settings, S3_ENDPOINT }, /\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/u);
    expect(advice).toContain('NODE_EXTRA_CA_CERTS');
    store.close();
    await certificate.discard();
  });

  it('because it has no keys: both processes print one line', async () => {
    const { S3_ACCESS_KEY_ID: _id, S3_SECRET_ACCESS_KEY: _key, ...withoutKeys } = settings;
    // The machine of the test may have a role.
    const environment = { ...withoutKeys, AWS_EC2_METADATA_DISABLED: 'true', HOME: DATA_DIR };
    const line = 'the bucket bucket cannot be used (CredentialsProviderError)';
    const exit = await runToExit('main', [], environment);
    expect(exit).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^furoshiki: [^\n]+S3_ACCESS_KEY_ID[^\n]+\n$/u),
    });
    expect(exit.stderr).toContain(line);
    const { code, stdout } = await runToExit('admin', ['doctor'], environment);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`failed  storage: ${line}\n`)]);
  });
});

describe('a first start that failed', () => {
  it('can be repeated without the bucket', async () => {
    const { S3_BUCKET: _, ...withoutBucket } = settings;
    await expectSameCause({ ...settings, S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` }, /ECONNREFUSED/u);
    await start(withoutBucket);
    expect((await readdir(DATA_DIR)).toSorted()).toEqual(['furoshiki.db', 'furoshiki.lock', 'objects', 'secret']);
  });
});

describe.skipIf(!hasCeph())('Ceph', () => {
  let ceph: Ceph;
  // If only this file is run, it starts its own Ceph.
  beforeAll(async () => void (ceph = await sharedCeph()));
  afterAll(() => ceph.stop());
  beforeEach(async () => {
    settings = { ...settings, S3_ENDPOINT: ceph.endpoint, S3_BUCKET: await ceph.newBucket() };
  });

  it.each([
    ['NoSuchBucket', { S3_BUCKET: 'no-such-bucket' }],
    ['SignatureDoesNotMatch', { S3_SECRET_ACCESS_KEY: 'another-secret-key' }],
    ['InvalidAccessKeyId', { S3_ACCESS_KEY_ID: 'another-access-key' }],
  ])('says %s', async (code, changed) => {
    const problem = new RegExp(`^the bucket \\S+ cannot be used \\(${code}\\)$`, 'u');
    await expectSameCause({ ...settings, ...changed }, problem);
  });

  it('has a bucket of another database, then files that no database knows', async () => {
    await start(settings);
    const another = await mkdtemp(join(tmpdir(), 'furoshiki-start-s3-'));
    await expectSameCause({ ...settings, DATA_DIR: another }, /^the bucket \S+ belongs to another database$/u);
    // The same folder then serves from its disk.
    const { S3_BUCKET: _, S3_ENDPOINT: endpoint, ...onDisk } = settings;
    await start({ ...onDisk, DATA_DIR: another });
    await rm(another, { recursive: true });

    const strange = await ceph.newBucket();
    const where = { endpoint, publicEndpoint: undefined, region: 'us-east-1', pathStyle: true };
    const store = await createS3Store({ ...where, bucket: strange, credentials: CEPH_KEYS });
    await store.createUpload('a'.repeat(22));
    const unknown = { ...settings, S3_BUCKET: strange };
    await expectSameCause(unknown, /^the bucket \S+ has files that the database does not know, and that would be/u);
    expect(await store.readOwner()).toBeUndefined();
  });
});
