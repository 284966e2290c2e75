import { once } from 'node:events';
import { rm, symlink } from 'node:fs/promises';
import { get, type IncomingMessage, request as requestHttp } from 'node:http';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../testing/certificate.ts';
import { INIT, TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';

/** Far more than the socket buffers of both sides hold. */
const LARGE = 32 * 1024 * 1024;
/** Several batches that are written to disk. */
const PART = 8 * 1024 * 1024;
const TEN_MINUTES_MS = 10 * 60_000;
let server: TestServer;
let certificate: MadeCertificate;
let metrics: Metrics;

beforeAll(async () => {
  certificate = await makeCertificate();
});
beforeEach(() => {
  metrics = createMetrics(() => Promise.reject(new Error('no storage metrics in this test')));
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});
afterAll(() => certificate.discard());

const startTls = () =>
  startTestServer({ config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile } });
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Waits until the server has set a timeout, and lets that time pass. */
async function passTime(): Promise<void> {
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS);
}

/**
 * Lets time pass until the server sends nothing any more. The file does not fit into the buffers, so a client that does not read
 * keeps a write of the server waiting until it is cut off.
 */
async function untilCutOff(): Promise<void> {
  const sending = () => metrics.registry.getSingleMetricAsString('furoshiki_transfers_in_flight');
  for (; !(await sending()).includes('{direction="out"} 0'); await setImmediate())
    await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS);
}

async function storeLargeFile(): Promise<string> {
  const client = new TestClient(server);
  const { id } = await client.send(new Uint8Array(LARGE));
  return (await client.get(`/download/${id}`)).body.presignedUrl as string;
}

describe('a client that stops reading is disconnected', () => {
  it('over HTTP/1.1', async () => {
    server = await startTestServer({ metrics });
    const url = await storeLargeFile();
    stopTime();
    const [response] = (await once(get(url), 'response')) as [IncomingMessage];
    await untilCutOff();
    await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('over HTTP/2, where its session lives on', async () => {
    server = await startTestServer();
    const url = new URL(await storeLargeFile());
    const { folder } = server;
    await server.stop();
    server = await startTestServer({
      dataDir: folder,
      metrics,
      config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
    });
    stopTime();
    const session = connect(server.url, { ca: certificate.cert });
    const stream = session.request({ ':path': url.pathname + url.search });
    await once(stream, 'response');
    const failure = once(stream, 'close').catch((error: unknown) => error);
    await untilCutOff();
    stream.resume();
    expect(await failure).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
    const health = session.request({ ':path': '/healthz' });
    expect((await once(health, 'response'))[0]).toMatchObject({ ':status': 200 });
    session.destroy();
  });
});

it('a client that stops reading a response with small files is disconnected', async () => {
  server = await startTestServer();
  const client = new TestClient(server);
  const { id } = await client.send(new Uint8Array(1000));
  await client.renewToken();
  const { folder } = server;
  await server.stop();
  server = await startTestServer({
    dataDir: folder,
    metrics,
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
  });
  stopTime();
  // No byte of a body is sent.
  const session = connect(server.url, { ca: certificate.cert, settings: { initialWindowSize: 0 } });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/api/batch/download',
    'content-type': 'application/json',
    'x-csrf-token': client.token,
    cookie: client.cookie,
  });
  stream.end(JSON.stringify({ ids: [id] }));
  expect((await once(stream, 'response'))[0]).toMatchObject({ ':status': 200 });
  const failure = once(stream, 'close').catch((error: unknown) => error);
  await untilCutOff();
  stream.resume();
  expect(await failure).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
  session.destroy();
});

it('a client that stops sending a part is disconnected', async () => {
  server = await startTestServer({ metrics });
  const { body: upload } = await new TestClient(server).init({ ...INIT, fileSize: PART - 28 });
  stopTime();
  const part = requestHttp(upload.presignedUrl as string, { method: 'PUT', headers: { 'content-length': PART } });
  part.write(new Uint8Array(1000));
  const response = once(part, 'response').catch((error: unknown) => error);
  await passTime();
  expect(await response).toMatchObject({ code: 'ECONNRESET' });
});

describe('a call whose JSON body does not arrive is cut off', () => {
  const headers = { 'content-type': 'application/json', 'content-length': '100' };

  it('over HTTP/1.1', async () => {
    server = await startTestServer();
    stopTime();
    const call = requestHttp(`${server.url}/api/upload/init`, { method: 'POST', headers });
    call.write('{');
    const response = once(call, 'response').catch((error: unknown) => error);
    await passTime();
    expect(await response).toMatchObject({ code: 'ECONNRESET' });
  });

  it('over HTTP/2, where its session lives on', async () => {
    server = await startTls();
    stopTime();
    const session = connect(server.url, { ca: certificate.cert });
    const stream = session.request(
      { ':method': 'POST', ':path': '/api/upload/init', ...headers },
      { endStream: false },
    );
    stream.write('{');
    const failure = once(stream.resume(), 'close').catch((error: unknown) => error);
    await passTime();
    expect(await failure).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
    const health = session.request({ ':path': '/healthz' });
    expect((await once(health, 'response'))[0]).toMatchObject({ ':status': 200 });
    session.destroy();
  });
});

it('a client that is still sending a part learns that the disk is full', async () => {
  server = await startTestServer();
  const client = new TestClient(server);
  const { body: upload } = await client.init({ ...INIT, fileSize: PART - 28 });
  const { fileKey } = upload as { fileKey: string };
  const data = join(server.folder, 'objects', fileKey.slice(0, 2), fileKey, 'data');
  await rm(data);
  await symlink('/dev/full', data);
  const response = await client.putPart(upload, 1, new Uint8Array(PART));
  expect(await response.json()).toMatchObject({ errorCode: 'QUOTA_EXCEEDED' });
});
