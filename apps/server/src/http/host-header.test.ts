import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../testing/certificate.ts';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ hasPages: true, config: { TRUST_PROXY: 1 } });
});
afterAll(() => server.close());

const get = (path: string, ...lines: string[]) => sendRaw(server.url, rawGet(path, ...lines));

describe('a request', () => {
  it.each([
    'files.example.org',
    'files.example.org:8443',
    'my_server.',
    '192.0.2.1:3000',
    '[2001:db8::1]:3000',
    '[::ffff:192.0.2.1]',
    'files.example.org:65535',
    'files.example.org:',
  ])('for the host %s is answered with its address', async (host) => {
    expect((await get('/robots.txt', `Host: ${host}`)).body).toContain(`Sitemap: http://${host}/sitemap.xml`);
  });

  it('of HTTP/1.0, which load balancers send, needs no host', async () => {
    const { status, body } = await sendRaw(server.url, 'GET /robots.txt HTTP/1.0\r\n\r\n');
    expect([status, body]).toEqual([200, expect.stringContaining('Sitemap: http://localhost/sitemap.xml')]);
  });

  it.each([
    ['without a Host line', []],
    ['with an empty Host line', ['Host:']],
    ['with two Host lines', ['Host: one.example', 'host: two.example']],
    ['with two equal Host lines', ['Host: one.example', 'Host: one.example']],
    ['for a host with a space', ['Host: one.example two.example']],
    ['for a host with markup', ['Host: x"><script>alert(1)</script>']],
    ['for a host with a user', ['Host: user@one.example']],
    ['for a host with a path', ['Host: one.example/path']],
    ['for a host that is too long', [`Host: ${'x'.repeat(254)}`]],
    ['for a host with quotes', ["Host: one.example'"]],
    ['for a host with a control character', ['Host: one\t.example']],
    ['for a port that is too long', ['Host: one.example:123456']],
    ['for a port that is too high', ['Host: one.example:65536']],
    ['for a port that is no number', ['Host: one.example:http']],
    ['that its proxy received for a host with markup', ['Host: one.example', 'X-Forwarded-Host: x"><script>']],
    ['that its proxy received by another protocol', ['Host: one.example', 'X-Forwarded-Proto: x"><script>']],
  ])('%s is refused', async (_, lines) => {
    for (const path of ['/robots.txt', '/en/faq', '/api/config']) {
      const { status, headers, body } = await get(path, ...lines);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ errorCode: 'VALIDATION_FAILED', field: 'headers.host' });
      expect(JSON.stringify([...headers, body])).not.toMatch(/alert|example/u);
    }
  });

  it('of HTTP/2 is refused if its two hosts differ', async () => {
    const certificate = await makeCertificate();
    const secure = await startTestServer({
      config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
    });
    const session = connectHttp2(secure.url, { ca: certificate.cert });
    const statusOf = async (host: string) => {
      const stream = session.request({ ':path': '/healthz', ':authority': 'one.example', host });
      const [headers] = (await once(stream.resume(), 'response')) as [Record<string, unknown>];
      return headers[':status'];
    };
    expect([await statusOf('One.example'), await statusOf('two.example')]).toEqual([200, 400]);
    session.destroy();
    await secure.close();
    await certificate.discard();
  });
});
