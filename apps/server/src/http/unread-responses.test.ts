import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../testing/certificate.ts';
import { freePort, startServerProcess } from '../../testing/process.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Config } from '../config/config.ts';

const TEN_MINUTES_MS = 10 * 60_000;
const STREAMS = 20;
let certificate: MadeCertificate;
let server: TestServer;
let session: ClientHttp2Session;

beforeAll(async () => {
  certificate = await makeCertificate();
});
afterAll(() => certificate.discard());
beforeEach(() => start({ MAX_REQUESTS_PER_ADDRESS: 2 }));

async function start(limits: Partial<Config>): Promise<void> {
  server = await startTestServer({
    hasPages: true,
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile, ...limits },
  });
  // The client reads nothing, so no byte of a body is sent, also of a response that refuses a request.
  session = connect(server.url, { ca: certificate.cert, settings: { initialWindowSize: 0 } });
}
async function stop(): Promise<void> {
  vi.useRealTimers();
  session.destroy();
  await server.close();
}
afterEach(stop);

it.each([
  '/assets/app.js',
  '/en',
  '/nowhere',
  '/%zz',
  '/api/openapi.json',
  '/api/config',
  '/api/download/page/AAAAAAAAAAAAAAAAAAAAAA',
  '/store/AAAAAAAAAAAAAAAAAAAAAA',
  '/robots.txt',
  '/.well-known/security.txt',
  '/healthz',
])('a client that reads no response of %s holds few of them open, and not for long', async (path) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let cut = 0;
  let answered = 0;
  for (let opened = 0; opened < STREAMS; opened += 1)
    session
      .request({ ':path': path })
      .on('error', () => undefined)
      .on('response', () => (answered += 1))
      .on('close', () => (cut += 1));
  // Two run and two wait, or are refused; twice as many for stored bytes. What is more gets no response.
  await vi.waitFor(() => expect(cut).toBe(STREAMS - 8));
  await vi.waitFor(() => expect(answered).toBeGreaterThanOrEqual(2));
  const isOpen = () => cut < STREAMS;
  for (; isOpen(); await new Promise((resolve) => setImmediate(resolve)))
    await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS);
  vi.useRealTimers();
  // The places are free again, and the session lives on.
  session.settings({ initialWindowSize: 65_535 });
  const health = session.request({ ':path': '/healthz' });
  expect((await once(health, 'response'))[0]).toMatchObject({ ':status': 200 });
});

/** Opens so many streams, reads no body, and returns the status and Retry-After of the first responses, sorted. */
function firstResponses(path: string, streams: number, count: number): Promise<string[]> {
  const responses: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string[]>();
  for (let opened = 0; opened < streams; opened += 1)
    session
      .request({ ':path': path })
      .on('error', () => undefined)
      .on('response', ({ ':status': status, 'retry-after': seconds = '-' }) => {
        if (responses.push(`${status} ${seconds}`) === count) resolve(responses.toSorted());
      });
  return promise;
}

it('pages are large responses: one of them runs where two other calls would', async () => {
  // Two wait, so the fourth is the first one that is refused.
  const responses = await firstResponses('/api/download/page/AAAAAAAAAAAAAAAAAAAAAA', 4, 2);
  expect(responses).toEqual(['404 -', '429 5']);
});

it('a server that has too many requests of all clients responds with 503, and says when to try again', async () => {
  await stop();
  await start({ MAX_REQUESTS: 2 });
  expect(await firstResponses('/en', 2, 2)).toEqual(['200 -', '503 5']);
});

it('a session that ends while its requests wait starts none of them, and writes no error to the log', async () => {
  const port = await freePort();
  const limits = { MAX_REQUESTS_PER_ADDRESS: '2', MIN_FREE_DISK_BYTES: '0' };
  const { certFile, keyFile } = certificate;
  const own = await startServerProcess({
    ...limits,
    PORT: String(port),
    DATA_DIR: join(dirname(certFile), 'data'),
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
  });
  session.destroy();
  session = connect(`https://127.0.0.1:${port}`, { ca: certificate.cert, settings: { initialWindowSize: 0 } });
  expect(await firstResponses('/api/download/page/AAAAAAAAAAAAAAAAAAAAAA', 4, 2)).toEqual(['404 -', '429 5']);
  session.destroy();
  expect(await own.stop()).toBe(0);
  expect(own.log()).not.toContain('a request failed');
});
