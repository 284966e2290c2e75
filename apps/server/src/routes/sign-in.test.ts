// An instance where people sign in at the proxy to send.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INIT, TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Config } from '../config/config.ts';

const UPLOAD_TOKEN = 'a token that is long enough to be one';
const SECRET = 'a secret that is long enough to be one';
const HOUR_MS = 3_600_000;

const servers: TestServer[] = [];
const start = async (config: Partial<Config> = {}) => {
  const server = await createTestServer({ config: { UPLOAD_TOKEN, SIGN_IN: true, ...config }, hasPages: true });
  servers.push(server);
  return server;
};
const closeAll = () => Promise.all(servers.splice(0).map((server) => server.close()));

const page = ({ url, fetch }: TestServer, path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { accept: 'text/html', ...headers } });
/** As the proxy passes it on for a person who has signed in. */
const signIn = (server: TestServer) => page(server, '/sign-in', { 'x-upload-token': UPLOAD_TOKEN });
const passOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** Returns the status and the code of opening an upload, alone and in a batch. */
async function open(server: TestServer, { cookie, ...headers }: Record<string, string> = {}) {
  const client = new TestClient(server);
  await client.renewToken();
  const all = { ...headers, cookie: [client.cookie, cookie].filter(Boolean).join('; ') };
  const alone = await client.post('/upload/init', INIT, all);
  const call = { name: 'initUpload', body: INIT };
  const { body } = await client.post('/batch/calls', { calls: [call, call] }, all);
  const permission = await client.get('/upload/permission', all);
  const outcomes = [alone, ...body.responses].map(({ status, body: { errorCode } }) =>
    [status, errorCode].filter(Boolean).join(' '),
  );
  expect(permission.body.allowed).toBe(alone.status === 200);
  expect(new Set(outcomes).size).toBe(1);
  return outcomes[0];
}

describe('opening an upload', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(closeAll);

  it('requires a sign-in, and says so', async () => {
    expect(await open(server)).toBe('401 SIGN_IN_REQUIRED');
    const response = await new TestClient(server).init();
    expect(response.headers.get('www-authenticate')).toBe('Furoshiki-Sign-In');
    expect((await new TestClient(server).get('/config')).body).toMatchObject({
      uploadTokenRequired: true,
      signIn: true,
    });
  });

  it('is allowed with the upload token, as for the command line, and refused with a wrong one', async () => {
    expect(await open(server, { 'x-upload-token': UPLOAD_TOKEN })).toBe('200');
    expect(await open(server, { 'x-upload-token': 'a guess' })).toBe('403 FORBIDDEN');
  });

  it('is allowed with the pass of a person who has signed in', async () => {
    const pass = passOf(await signIn(server));
    expect(await open(server, { cookie: pass })).toBe('200');
    expect(await open(server, { cookie: pass, 'x-upload-token': 'a guess' })).toBe('200');
  });

  it.each([
    ['empty', ''],
    ['made up', 'nonsense'],
    ['never expiring', '99999999999999.'],
    ['without a number', `.${'A'.repeat(43)}`],
    ['with a made-up signature', `99999999999999.${'A'.repeat(43)}`],
  ])('is refused with a pass that is %s', async (_, pass) => {
    expect(await open(server, { cookie: `furoshiki-pass=${pass}` })).toBe('401 SIGN_IN_REQUIRED');
  });

  it('is refused with a pass that was made to last longer, and with another thing that we have signed', async () => {
    const [, expires = '', signature = ''] = /=(\d+)\.(.+)$/u.exec(passOf(await signIn(server))) ?? [];
    const longer = `furoshiki-pass=${Number(expires) + 1}.${signature}`;
    expect(await open(server, { cookie: longer })).toBe('401 SIGN_IN_REQUIRED');
    const client = new TestClient(server);
    await client.renewToken();
    expect(await open(server, { cookie: `furoshiki-pass=${client.token}` })).toBe('401 SIGN_IN_REQUIRED');
  });
});

describe('a pass', () => {
  afterEach(closeAll);

  it('is valid for twelve hours', async () => {
    const server = await start();
    const cookie = passOf(await signIn(server));
    server.wait(12 * HOUR_MS - 60_000);
    expect(await open(server, { cookie })).toBe('200');
    server.wait(60_000);
    expect(await open(server, { cookie })).toBe('401 SIGN_IN_REQUIRED');
  });

  it('is accepted by every server with the same secret and the same token, and by no other', async () => {
    const cookie = passOf(await signIn(await start({ SECRET })));
    expect(await open(await start({ SECRET }), { cookie })).toBe('200');
    const secrets = { other: 'another secret that is long enough', none: undefined };
    expect(await open(await start({ SECRET: secrets.other }), { cookie })).toBe('401 SIGN_IN_REQUIRED');
    expect(await open(await start({ SECRET: secrets.none }), { cookie })).toBe('401 SIGN_IN_REQUIRED');
    const renewed = await start({ SECRET, UPLOAD_TOKEN: 'a new token, which ends all passes' });
    expect(await open(renewed, { cookie })).toBe('401 SIGN_IN_REQUIRED');
  });

  it('means nothing on an instance without sign-in', async () => {
    const cookie = passOf(await signIn(await start({ SECRET })));
    expect(await open(await start({ SECRET, SIGN_IN: false }), { cookie })).toBe('403 FORBIDDEN');
  });
});

it('a recipient needs no sign-in: page, file, download and deletion', async () => {
  const server = await start();
  const sender = new TestClient(server);
  const { body: upload } = await sender.post('/upload/init', INIT, { 'x-upload-token': UPLOAD_TOKEN });
  const put = await sender.put(upload.presignedUrl, new Uint8Array(INIT.fileSize + 28));
  const { uploadId, fileKey, chunkSize } = upload;
  const metadata = { chunkSize, salt: btoa('0'.repeat(16)), keyCheck: btoa('0'.repeat(28)) };
  const parts = [{ PartNumber: 1, ETag: put.headers.get('etag') }];
  const { body: file } = await sender.post('/upload/complete', { uploadId, fileKey, metadata, parts });
  const recipient = new TestClient(server);
  const paths = [`/download/page/${file.pageID}`, `/download/info/${file.downloadId}`, `/download/${file.downloadId}`];
  for (const path of paths) expect((await recipient.get(path)).status, path).toBe(200);
  const { body: grant } = await recipient.get(`/download/${file.downloadId}`);
  expect((await server.fetch(grant.presignedUrl as string)).status).toBe(200);
  expect((await recipient.delete(`/download/${file.downloadId}`)).status).toBe(200);
  await closeAll();
});

describe('the sign-in page', () => {
  afterEach(closeAll);

  it('is the same for everyone and as at any other address, and no cache keeps it', async () => {
    const server = await start();
    const fallback = await (await page(server, '/nowhere')).text();
    for (const headers of [{}, { 'x-upload-token': 'a guess' }, { 'x-upload-token': UPLOAD_TOKEN }]) {
      const response = await page(server, '/sign-in', { ...headers, 'if-none-match': '*' });
      expect([response.status, await response.text()]).toEqual([200, fallback]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
    }
  });

  it('sets a pass only if the proxy has added the right token, and at no other address', async () => {
    const server = await start();
    const cookiesAt = async (path: string, token?: string) =>
      (await page(server, path, token === undefined ? {} : { 'x-upload-token': token })).headers.getSetCookie().length;
    expect(await cookiesAt('/sign-in')).toBe(0);
    expect(await cookiesAt('/sign-in', '')).toBe(0);
    expect(await cookiesAt('/sign-in', UPLOAD_TOKEN.slice(1))).toBe(0);
    expect(await cookiesAt('/sign-in', UPLOAD_TOKEN)).toBe(1);
    for (const path of ['/en/sign-in', '/en', '/nowhere']) expect(await cookiesAt(path, UPLOAD_TOKEN)).toBe(0);
  });

  it('sets a cookie that scripts and other sites cannot use', async () => {
    const PUBLIC_ORIGIN = 'https://files.example.org';
    const cookieOf = async (config: Partial<Config>) =>
      (await signIn(await start(config))).headers.getSetCookie()[0]?.replace(/=[\d.]+[\w-]+;/u, ';');
    const attributes = (path: string) => `; Max-Age=43200; Path=${path}; HttpOnly`;
    expect(await cookieOf({})).toBe(`furoshiki-pass${attributes('/')}; SameSite=Strict`);
    expect(await cookieOf({ PUBLIC_ORIGIN })).toBe(`__Host-furoshiki-pass${attributes('/')}; Secure; SameSite=Strict`);
    expect(await cookieOf({ PUBLIC_ORIGIN, BASE_PATH: '/files' })).toBe(
      `furoshiki-pass${attributes('/files')}; Secure; SameSite=Strict`,
    );
  });

  it('prefers the cookie that no other site can plant', async () => {
    const server = await start({ PUBLIC_ORIGIN: 'https://files.example.org' });
    const pass = passOf(await signIn(server));
    expect(await open(server, { cookie: `furoshiki-pass=planted; ${pass}` })).toBe('200');
  });

  it('is served with all headers of a page, and accepts no other method', async () => {
    const server = await start();
    const [signInPage, other] = [await signIn(server), await page(server, '/nowhere')];
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'x-frame-options', 'x-robots-tag'])
      expect(signInPage.headers.get(name)).toBe(other.headers.get(name));
    const post = await server.fetch(`${server.url}/sign-in`, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it.each([
    ['with sign-in', { SIGN_IN: true }, 200],
    ['with a token only', { SIGN_IN: false }, 404],
    ['open to everyone', { SIGN_IN: false, UPLOAD_TOKEN: undefined }, 404],
  ])('of an instance %s has a status that says whether there is one', async (_, config, status) => {
    const server = await start(config);
    expect([(await page(server, '/sign-in')).status, (await page(server, '/en/sign-in')).status]).toEqual([
      status,
      status,
    ]);
    expect((await signIn(server)).headers.getSetCookie()).toHaveLength(status === 200 ? 1 : 0);
  });
});
