import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../testing/ceph.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

/** A file of 1000 bytes, sealed. */
const SIZE = 1028;

/** Everything that depends on ranges and conditions, on both addresses of the stored bytes. */
function describeRanges(name: string, start: () => Promise<TestServer>): void {
  describe.each(['/store/', '/api/download/file/'])(`%s of ${name}`, (prefix) => {
    let server: TestServer;
    let client: TestClient;
    let url: string;
    let whole: string;
    let etag: string;
    beforeAll(async () => {
      server = await start();
      client = new TestClient(server);
      const { id } = await client.send(crypto.getRandomValues(new Uint8Array(1000)));
      const { body } = await client.get(`/download/${id}`);
      url = prefix === '/store/' ? (body.presignedUrl as string) : `${server.url}${prefix}${id}`;
      const response = await get({});
      whole = response.body;
      etag = response.headers.get('etag') ?? '';
    });
    afterAll(() => server.close());

    async function get(headers: Record<string, string>, method = 'GET') {
      const response = await server.fetch(url, { method, headers: { cookie: client.cookie, ...headers } });
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
      return { status: response.status, headers: response.headers, body };
    }

    it.each([
      ['bytes=0-9', 0, 10],
      ['bytes=5-', 5, SIZE],
      ['BYTES=0-0', 0, 1],
      ['bytes=-500', SIZE - 500, SIZE],
      ['bytes=-1', SIZE - 1, SIZE],
      ['bytes=-5000', 0, SIZE],
      ['bytes=1027-9999', SIZE - 1, SIZE],
      ['bytes=1000-99999999999999999999999999', 1000, SIZE],
    ])('%s is the part from %i to %i', async (range, first, end) => {
      const { status, headers, body } = await get({ range });
      expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
        206,
        `bytes ${first}-${end - 1}/${SIZE}`,
        String(end - first),
      ]);
      expect(body === whole.slice(first, end)).toBe(true);
      expect(headers.get('etag')).toBe(etag);
    });

    it.each(['bytes=-0', 'bytes=1028-', 'bytes=5000-6000', 'bytes=99999999999999999999999999-'])(
      '%s is outside, and the response names the size',
      async (range) => {
        const { status, headers, body } = await get({ range });
        expect([status, headers.get('content-range')]).toEqual([416, `bytes */${SIZE}`]);
        expect(JSON.parse(body)).toMatchObject({ errorCode: 'RANGE_NOT_SATISFIABLE' });
        expect(headers.get('content-disposition')).toBe(null);
      },
    );

    it.each(['bytes=5-1', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes 0-9', 'lines=0-9', 'bytes=0-9,20-29', 'bytes=0x1-'])(
      '%s is ignored',
      async (range) => {
        const { status, headers, body } = await get({ range });
        expect([status, headers.get('content-range'), headers.get('accept-ranges')]).toEqual([200, null, 'bytes']);
        expect(body === whole).toBe(true);
      },
    );

    it('sends a range only of the bytes that the client already has a part of', async () => {
      const range = 'bytes=0-9';
      expect(etag).toMatch(/^"[\w-]+"$/u);
      expect((await get({ range, 'if-range': etag })).status).toBe(206);
      for (const other of ['"other"', `W/${etag}`, new Date().toUTCString(), `${etag}, "other"`, '*'])
        expect([(await get({ range, 'if-range': other })).status, other]).toEqual([200, other]);
      expect((await get({ range: 'bytes=9999-', 'if-range': '"other"' })).status).toBe(200);
    });

    it('compares the tag of the client', async () => {
      const statusFor = async (headers: Record<string, string>) => (await get(headers)).status;
      for (const same of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
        expect([await statusFor({ 'if-none-match': same }), same]).toEqual([304, same]);
      expect(await statusFor({ 'if-none-match': '"other"' })).toBe(200);
      for (const same of [etag, `"other", ${etag}`, '*'])
        expect([await statusFor({ 'if-match': same }), same]).toEqual([200, same]);
      for (const other of ['"other"', `W/${etag}`])
        expect([await statusFor({ 'if-match': other }), other]).toEqual([412, other]);
      expect(await statusFor({ 'if-match': '"other"', 'if-none-match': etag, range: 'bytes=0-9' })).toBe(412);
    });

    it('responds to a condition of HEAD without the length of an empty body', async () => {
      const { status, headers } = await get({ 'if-none-match': etag }, 'HEAD');
      expect([status, headers.get('etag'), headers.get('content-length')]).toEqual([304, etag, null]);
    });

    it('ignores a range of HEAD', async () => {
      const { status, headers } = await get({ range: 'bytes=0-9' }, 'HEAD');
      expect([status, headers.get('content-length'), headers.get('etag')]).toEqual([200, String(SIZE), etag]);
    });
  });
}

describeRanges('a disk', () => startTestServer());

describe.skipIf(!hasCeph())('Ceph behind this server', () => {
  let ceph: Ceph;
  beforeAll(async () => {
    ceph = await sharedCeph();
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  describeRanges('Ceph', async () =>
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
    }),
  );
});
