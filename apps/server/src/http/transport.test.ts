import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { Agent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../testing/certificate.ts';
import { INIT } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';

let certificate: MadeCertificate;
let server: TestServer | undefined;
let metrics: Metrics;
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  certificate = await makeCertificate();
});
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await server?.close();
  server = undefined;
});
afterAll(() => certificate.discard());

async function start(drainMs?: number): Promise<URL> {
  metrics = createMetrics(() => Promise.reject(new Error('no storage metrics in this test')));
  server = await startTestServer({
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
    metrics,
    ...(drainMs === undefined ? {} : { drainMs }),
  });
  return new URL(server.url);
}

/** Waits until the server has seen the part: it neither waits for nor cuts off a request that it has not seen. */
async function waitUntilReceiving(): Promise<void> {
  const inFlight = () => metrics.registry.getSingleMetricAsString('furoshiki_transfers_in_flight');
  await expect.poll(inFlight).toContain('{direction="in"} 1');
}

async function handshake(url: URL, options: ConnectionOptions) {
  const socket = connectTls({ host: url.hostname, port: Number(url.port), ca: certificate.cert, ...options });
  await once(socket, 'secureConnect');
  const agreed = { version: socket.getProtocol(), protocol: socket.alpnProtocol };
  socket.destroy();
  return agreed;
}

function session(url: URL): ClientHttp2Session {
  const made = connectHttp2(url, { ca: certificate.cert });
  made.on('error', () => undefined);
  sessions.push(made);
  return made;
}

interface Reply {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

async function request(
  client: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Reply> {
  const stream = client.request({ ':method': 'GET', ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [response] = (await once(stream, 'response')) as [Record<string, unknown>];
  return { status: Number(response[':status']), headers: response, body: await text(stream) };
}

/** Opens an upload of one part of 1028 bytes over HTTP/2 and returns the path of the part. */
async function openPart(client: ClientHttp2Session): Promise<{ path: string; status: () => Promise<unknown> }> {
  const token = await request(client, { ':method': 'POST', ':path': '/api/csrf-token' });
  const [cookie = ''] = String((token.headers['set-cookie'] as string[])[0]).split(';');
  const post = async (path: string, body: object) => {
    const headers = {
      ':method': 'POST',
      ':path': `/api${path}`,
      'content-type': 'application/json',
      cookie,
      'x-csrf-token': (JSON.parse(token.body) as { token: string }).token,
    };
    return JSON.parse((await request(client, headers, JSON.stringify(body))).body) as Record<string, string>;
  };
  const { uploadId, fileKey } = await post('/upload/init', INIT);
  const { presignedUrl = '' } = await post('/upload/presigned-url', { uploadId, fileKey, partNumber: 1 });
  expect(presignedUrl.startsWith(`${server?.url}/store/`)).toBe(true);
  return {
    path: presignedUrl.slice(server?.url.length),
    status: async () => (await post('/upload/status', { uploadId, fileKey }))['parts'],
  };
}

describe('TLS', () => {
  it('accepts version 1.3 and refuses 1.2', async () => {
    const url = await start();
    expect(url.protocol).toBe('https:');
    expect((await handshake(url, {})).version).toBe('TLSv1.3');
    await expect(handshake(url, { maxVersion: 'TLSv1.2' })).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });

  it.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
  ])('chooses from the protocols %j of a client %s', async (ALPNProtocols, agreed) => {
    expect((await handshake(await start(), { ALPNProtocols })).protocol).toBe(agreed);
  });

  it('sets secure cookies and HSTS', async () => {
    const { headers } = await request(session(await start()), { ':method': 'POST', ':path': '/api/csrf-token' });
    expect(String(headers['set-cookie'])).toContain('; Secure');
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/u);
  });

  it('serves HTTP/1.1 to a client without HTTP/2', async () => {
    const url = await start();
    const agent = new Agent({ ca: certificate.cert });
    const sent = requestHttps(new URL('/healthz', url), { agent }).end();
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; httpVersion: string; resume(): void }];
    response.resume();
    expect([response.statusCode, response.httpVersion]).toEqual([200, '1.1']);
    agent.destroy();
  });
});

it('lets a session of HTTP/2 open 32 streams at a time', async () => {
  const [settings] = (await once(session(await start()), 'remoteSettings')) as [{ maxConcurrentStreams: number }];
  expect(settings.maxConcurrentStreams).toBe(32);
});

describe('a part over HTTP/2', () => {
  it('is stored if it is complete, and not if its stream was reset', async () => {
    const client = session(await start());
    const { path, status } = await openPart(client);
    const cut = client.request({ ':method': 'PUT', ':path': path }, { endStream: false });
    cut.on('error', () => undefined);
    cut.write(new Uint8Array(500));
    await waitUntilReceiving();
    cut.close(constants.NGHTTP2_CANCEL);
    await once(cut, 'close');
    expect(await status()).toEqual([]);
    const { status: code, headers } = await request(client, { ':method': 'PUT', ':path': path }, new Uint8Array(1028));
    expect(code).toBe(200);
    expect(await status()).toEqual([{ PartNumber: 1, ETag: headers['etag'] }]);
  });
});

it('logs no error when a client disconnects during a part', async () => {
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const url = await start();
  const client = session(url);
  const { path } = await openPart(client);
  const part = client.request({ ':method': 'PUT', ':path': path }, { endStream: false });
  part.on('error', () => undefined);
  part.write(new Uint8Array(500));
  await waitUntilReceiving();
  client.destroy();
  // `close` waits until the server has noticed the disconnect.
  await server?.close();
  server = undefined;
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  expect(lines).toEqual([]);
});

describe('closing', () => {
  it('receives the rest of a running part over HTTP/2, and then ends its session', async () => {
    const client = session(await start(60_000));
    const { path } = await openPart(client);
    const part = client.request({ ':method': 'PUT', ':path': path }, { endStream: false });
    part.write(new Uint8Array(500));
    await waitUntilReceiving();
    const goaway = once(client, 'goaway');
    const closing = server?.close();
    server = undefined;
    await goaway;
    part.end(new Uint8Array(528));
    const [response] = (await once(part, 'response')) as [Record<string, unknown>];
    expect([response[':status'], typeof response['etag']]).toEqual([200, 'string']);
    await closing;
    expect(client.closed || client.destroyed).toBe(true);
  });

  it.each(['h2', 'http/1.1'])('cuts off a stuck request over %s', async (protocol) => {
    const url = await start(300);
    const { path } = await openPart(session(url));
    if (protocol === 'h2') {
      const stuck = session(url).request({ ':method': 'PUT', ':path': path }, { endStream: false });
      stuck.on('error', () => undefined);
      stuck.write(new Uint8Array(500));
    } else {
      const stuck = requestHttps(new URL(path, url), { method: 'PUT', ca: certificate.cert });
      stuck.on('error', () => undefined);
      stuck.write(new Uint8Array(500));
    }
    await waitUntilReceiving();
    const startedMs = Date.now();
    await server?.close();
    server = undefined;
    expect(Date.now() - startedMs).toBeGreaterThan(250);
  });
});
