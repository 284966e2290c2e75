import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { pagePolicy } from '@furoshiki/site';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../testing/certificate.ts';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { respondToBrokenRequest } from './broken-request.ts';

const HOST = 'host: files.example.org';
const POLICY = pagePolicy([]);
const long = (bytes: number) => `/${'x'.repeat(bytes)}`;
let certificate: MadeCertificate;
let plain: TestServer;
let secure: TestServer;
beforeAll(async () => {
  certificate = await makeCertificate();
  plain = await startTestServer({ hasPages: true });
  secure = await startTestServer({
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
  });
});
afterAll(async () => {
  await plain.close();
  await secure.close();
  await certificate.discard();
});

// The files are not encrypted, so nothing of them may be read.
it('a form of shared files is sent on to home without its body', async () => {
  const head = [
    'POST /shared HTTP/1.1',
    HOST,
    'content-type: multipart/form-data; boundary=x',
    'content-length: 1000000000',
  ];
  const response = await sendRaw(plain.url, [...head, '', '--x'].join('\r\n'));
  expect([response.status, response.headers.get('location')]).toEqual([303, '/#shared=']);
});

describe.each(['plain', 'over TLS'])('a request that is %s', (kind) => {
  const send = (bytes: string) =>
    kind === 'plain' ? sendRaw(plain.url, bytes) : sendRaw(secure.url, bytes, certificate.cert);

  it.each([
    ['of another version', 'GET / HTTP/9.9\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['without lines', '\x16\x03\x01\x02\x00', 400, 'VALIDATION_FAILED'],
    ['with two lengths', rawGet('/', HOST, 'content-length: 1', 'content-length: 2'), 400, 'VALIDATION_FAILED'],
    ['with an address of 8193 bytes', rawGet(long(8192), HOST), 414, 'URI_TOO_LONG'],
    ['with an address of 16384 bytes', rawGet(long(16_383), HOST), 414, 'URI_TOO_LONG'],
    ['with an address of 20 KB', rawGet(long(20_000), HOST), 414, 'URI_TOO_LONG'],
    ['with a header of 16 KB', rawGet('/', HOST, `x: ${'x'.repeat(16_384)}`), 431, 'HEADERS_TOO_LARGE'],
    ['with a header of 100 KB', rawGet('/', HOST, `x: ${'x'.repeat(100_000)}`), 431, 'HEADERS_TOO_LARGE'],
    ['with 2000 headers', rawGet('/', HOST, ...Array<string>(2000).fill('abc: defgh')), 431, 'HEADERS_TOO_LARGE'],
  ])('and %s gets the error body', async (_, bytes, status, errorCode) => {
    const response = await send(bytes);
    expect([response.status, JSON.parse(response.body)]).toMatchObject([status, { errorCode }]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      date: expect.stringMatching(/ GMT$/u),
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(response.body)),
      'cache-control': 'no-store',
      vary: 'accept, accept-language',
    });
  });

  it('is answered with an address of 8192 bytes', async () => {
    expect((await send(rawGet(`/healthz?${'x'.repeat(8183)}`, HOST))).status).toBe(200);
  });

  it('and has an unknown method, or CONNECT, gets 501', async () => {
    for (const target of ['FOO /', 'CONNECT files.example.org:443']) {
      const response = await send(`${target} HTTP/1.1\r\n${HOST}\r\n\r\n`);
      expect([response.status, response.headers.get('content-length'), response.body]).toEqual([501, '0', '']);
    }
  });
});

it('stops nothing if its client leaves after CONNECT', async () => {
  const { port, hostname } = new URL(plain.url);
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`CONNECT files.example.org:443 HTTP/1.1\r\n${HOST}\r\n\r\nmore`);
    socket.resetAndDestroy();
  }
  expect((await fetch(`${plain.url}/healthz`)).status).toBe(200);
});

it('gets a page in a browser, in the language of the request', async () => {
  const browser = ['accept: text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language: de'];
  for (const request of [rawGet(long(20_000), HOST, ...browser), rawGet('/', HOST, ...browser, `x: ${long(20_000)}`)]) {
    const { headers, body } = await sendRaw(plain.url, request);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(body).toContain('<html lang="de">');
  }
});

it('gets 408 without a body if it does not arrive in time: clients retry that', async () => {
  const server = createServer({ headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 });
  server.on('clientError', respondToBrokenRequest({ basePath: '', policy: POLICY }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const { status, headers, body } = await sendRaw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\n');
  expect([status, headers.get('connection'), headers.get('content-length'), body]).toEqual([408, 'close', '0', '']);
  expect(headers.get('content-security-policy')).toBe(POLICY);
  server.close();
});

it('adds nothing to a response that is being sent', async () => {
  const client = new TestClient(plain);
  const { id } = await client.send(new Uint8Array(32 * 1024 * 1024));
  const { body } = await client.get(`/download/${id}`);
  const { port, pathname, search } = new URL(body.presignedUrl as string);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${HOST}\r\n\r\n`);
  await once(socket, 'readable');
  socket.write('no request\r\n\r\n');
  const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
  expect(received.match(/HTTP\/1\.1/gu)).toHaveLength(1);
});

describe('over HTTP/2', () => {
  async function request(headers: Record<string, string>) {
    const session = connectHttp2(secure.url, { ca: certificate.cert });
    const stream = session.request(headers);
    const [response] = (await once(stream, 'response')) as [Record<string, unknown>];
    const body = Buffer.concat(await stream.toArray()).toString();
    session.destroy();
    return { status: response[':status'], allow: response['allow'], body };
  }

  it.each([
    ['a long address', { ':path': long(8192) }, 414, 'URI_TOO_LONG'],
    ['large headers', { ':path': '/', x: 'x'.repeat(17_000) }, 431, 'HEADERS_TOO_LARGE'],
  ])('%s gets the error body', async (_, headers, status, errorCode) => {
    const response = await request(headers);
    expect([response.status, JSON.parse(response.body)]).toMatchObject([status, { errorCode }]);
  });

  it('an unknown method is not allowed, and CONNECT is not implemented', async () => {
    expect(await request({ ':method': 'FOO', ':path': '/healthz' })).toMatchObject({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
    });
    expect(await request({ ':method': 'CONNECT', ':authority': 'files.example.org:443' })).toMatchObject({
      status: 501,
    });
  });
});

describe('the target of a request', () => {
  const send = (method: string, target: string, host = 'files.example.org') =>
    sendRaw(plain.url, `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);

  it('may be the whole server', async () => {
    const { status, headers } = await send('OPTIONS', '*');
    expect([status, headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, POST, PUT']);
    expect((await send('GET', '*')).status).toBe(400);
  });

  it.each([
    ['http://files.example.org/en/faq', 200],
    ['HTTP://Files.Example.org', 200],
    ['http://files.example.org?x', 200],
    ['http://files.example.org/api/config', 200],
    ['http://files.example.org/nowhere', 404],
    ['ftp://files.example.org/', 400],
    ['http://user@files.example.org/', 400],
    ['http://other.example.org/', 400],
    ['http:///', 400],
  ])('may be a whole URL that names the same host: %s', async (target, status) => {
    expect((await send('GET', target)).status).toBe(status);
  });
});
