import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeCertificate } from '../../testing/certificate.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../testing/test-server.ts';

const ANNOUNCE_MS = 3000;

let server: TestServer;
let agent: Agent;
beforeEach(() => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => {
  vi.useRealTimers();
  agent.destroy();
});

/** Starts a server whose announcement lasts until the test moves the clock. */
async function start(options: TestOptions = {}): Promise<void> {
  server = await startTestServer({ announceMs: ANNOUNCE_MS, ...options });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

async function get(path: string) {
  const sent = request(server.url + path, { agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return [response.statusCode, response.headers.connection, await json(response)];
}

it('serves for a while after it has stopped to be ready, and tells clients to use another connection', async () => {
  await start();
  expect(await get('/readyz')).toEqual([200, 'keep-alive', { status: 'ok' }]);
  const stopped = server.close();
  expect(await get('/readyz')).toEqual([503, 'close', { status: 'stopping' }]);
  expect(await get('/healthz')).toEqual([200, 'close', { status: 'ok' }]);
  expect(await get('/api/readiness')).toEqual([200, 'close', { ready: true }]);
  await vi.advanceTimersByTimeAsync(ANNOUNCE_MS);
  await expect(get('/healthz')).rejects.toThrow('ECONNREFUSED');
  await stopped;
});

it('does not keep the connection of a request that was running at the signal', async () => {
  await start();
  let finish: () => void = () => undefined;
  server.context.metadata.ping = () => new Promise((resolve) => (finish = resolve));
  const running = get('/api/readiness');
  await vi.waitUntil(() => finish.length > 0);
  const stopped = server.close();
  finish();
  expect(await running).toEqual([200, 'close', { ready: true }]);
  await vi.advanceTimersByTimeAsync(ANNOUNCE_MS);
  await stopped;
});

it('serves HTTP/2 streams until it closes, and then ends the session without an error', async () => {
  const certificate = await makeCertificate();
  await start({ config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile } });
  const session = connectHttp2(server.url, { ca: certificate.cert });
  await once(session, 'connect');
  const stopped = server.close();
  const [headers] = (await once(session.request({ ':path': '/healthz' }).resume(), 'response')) as [object];
  expect(headers).toMatchObject({ ':status': 200 });
  const goaway = once(session, 'goaway');
  await vi.advanceTimersByTimeAsync(ANNOUNCE_MS);
  expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
  await stopped;
  await certificate.discard();
});
