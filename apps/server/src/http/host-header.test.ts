import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ hasPages: true, config: { TRUST_PROXY: 1 } });
});
afterAll(() => server.close());

/** Sends these header lines as they are. */
async function get(path: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(
    ['GET ', path, ' HTTP/1.1\r\n', ...lines.map((line) => `${line}\r\n`), 'connection: close\r\n\r\n'].join(''),
  );
  return (await socket.toArray()).join('');
}

describe('a request', () => {
  it.each([
    'files.example.org',
    'files.example.org:8443',
    'my_server.',
    '192.0.2.1:3000',
    '[2001:db8::1]:3000',
    '[::ffff:192.0.2.1]',
  ])('for the host %s is answered with its address', async (host) => {
    expect(await get('/robots.txt', `Host: ${host}`)).toContain(`Sitemap: http://${host}/sitemap.xml`);
  });

  it.each([
    ['with two Host lines', ['Host: one.example', 'host: two.example']],
    ['with two equal Host lines', ['Host: one.example', 'Host: one.example']],
    ['for a host with a space', ['Host: one.example two.example']],
    ['for a host with markup', ['Host: x"><script>alert(1)</script>']],
    ['for a host with a user', ['Host: user@one.example']],
    ['for a host with a path', ['Host: one.example/path']],
    ['for a host that is too long', [`Host: ${'x'.repeat(254)}`]],
    ['for a port that is too long', ['Host: one.example:123456']],
    ['that its proxy received for a host with markup', ['Host: one.example', 'X-Forwarded-Host: x"><script>']],
    ['that its proxy received by another protocol', ['Host: one.example', 'X-Forwarded-Proto: x"><script>']],
  ])('%s is refused', async (_, lines) => {
    for (const path of ['/robots.txt', '/en/faq', '/api/config']) {
      const response = await get(path, ...lines);
      expect(response).toMatch(/^HTTP\/1\.1 400 /u);
      expect(response).not.toContain('<script>');
    }
  });
});
