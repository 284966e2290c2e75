import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../testing/certificate.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const TEN_MINUTES_MS = 10 * 60_000;
const STREAMS = 20;
let certificate: MadeCertificate;
let server: TestServer;
let session: ClientHttp2Session;

beforeAll(async () => {
  certificate = await makeCertificate();
});
afterAll(() => certificate.discard());
beforeEach(async () => {
  server = await startTestServer({
    hasPages: true,
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile, MAX_REQUESTS_PER_ADDRESS: 2 },
  });
  // The client reads nothing, so no byte of a body is sent, also of a response that refuses a request.
  session = connect(server.url, { ca: certificate.cert, settings: { initialWindowSize: 0 } });
});
afterEach(async () => {
  vi.useRealTimers();
  session.destroy();
  await server.close();
});

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
