// A server with its own certificate: checks at the start, renewal at SIGHUP, HTTP/2.
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { runToExit } from '../../apps/server/testing/process.ts';
import { downloadFile, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

let folder: string;
let first: MadeCertificate;
let second: MadeCertificate;
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-tls-'));
  [first, second] = await Promise.all([makeCertificate(), makeCertificate()]);
  await writeFile(join(folder, 'nonsense'), 'nonsense');
});
test.afterAll(async () => {
  await Promise.all([first.discard(), second.discard(), rm(folder, { recursive: true })]);
});

/** Copies a certificate and its key to fixed paths, as an operator does. */
async function install({ certFile, keyFile }: MadeCertificate): Promise<Record<string, string>> {
  const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
  await copyFile(certFile, files.TLS_CERT_FILE);
  await copyFile(keyFile, files.TLS_KEY_FILE);
  return files;
}

/** Returns the fingerprint of the certificate that a new connection gets. */
async function servedFingerprint(server: ServerProcess): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const fingerprint = ({ cert }: MadeCertificate) => new X509Certificate(cert).fingerprint256;

test.describe('a start fails with one line', () => {
  for (const [what, files, line] of [
    [
      'a certificate without a key',
      () => ({ TLS_CERT_FILE: first.certFile }),
      /^furoshiki: TLS_CERT_FILE is set, so TLS_KEY_FILE must be too\n$/u,
    ],
    [
      'a key without a certificate',
      () => ({ TLS_KEY_FILE: first.keyFile }),
      /^furoshiki: TLS_KEY_FILE is set, so TLS_CERT_FILE must be too\n$/u,
    ],
    [
      'a certificate file that does not exist',
      () => ({ TLS_CERT_FILE: join(folder, 'missing'), TLS_KEY_FILE: first.keyFile }),
      /^furoshiki: TLS_CERT_FILE \S+ cannot be read \(ENOENT\)\n$/u,
    ],
    [
      'a file that is not a certificate',
      () => ({ TLS_CERT_FILE: join(folder, 'nonsense'), TLS_KEY_FILE: first.keyFile }),
      /^furoshiki: TLS_CERT_FILE \S+ holds no PEM certificate\n$/u,
    ],
    [
      'a file that is not a key',
      () => ({ TLS_CERT_FILE: first.certFile, TLS_KEY_FILE: join(folder, 'nonsense') }),
      /^furoshiki: TLS_KEY_FILE \S+ holds no PEM private key without a password\n$/u,
    ],
    [
      'the key of another certificate',
      () => ({ TLS_CERT_FILE: first.certFile, TLS_KEY_FILE: second.keyFile }),
      /^furoshiki: TLS_KEY_FILE \S+ is not the key of TLS_CERT_FILE \S+\n$/u,
    ],
  ] as const) {
    test(`for ${what}`, async () => {
      const exit = await runToExit('main', [], { DATA_DIR: join(folder, 'data'), ...files() });
      expect([exit.code, exit.stdout]).toEqual([1, '']);
      expect(exit.stderr).toMatch(line);
    });
  }
});

test('a new certificate is used after SIGHUP, a broken one is not, and no connection is dropped', async () => {
  const server = await ServerProcess.start(await install(first));
  expect(server.log).toBe(`Furoshiki serves https://127.0.0.1:${server.port}\n`);
  expect(await servedFingerprint(server)).toBe(fingerprint(first));

  // This session stays open from the first certificate to the end.
  const session = connectHttp2(server.url, { ca: first.cert });
  const healthOverSession = async () => {
    const request = session.request({ ':path': '/healthz' }).resume();
    const [headers] = (await once(request, 'response')) as [Record<string, unknown>];
    return headers[':status'];
  };
  expect(await healthOverSession()).toBe(200);

  await install(second);
  server.signal('SIGHUP');
  await expect.poll(() => servedFingerprint(server)).toBe(fingerprint(second));
  // The minimum protocol version applies to the new certificate as well.
  const old = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
  await expect(once(old, 'secureConnect')).rejects.toThrow('protocol version');
  expect(await healthOverSession()).toBe(200);

  await copyFile(first.keyFile, join(folder, 'key.pem'));
  const before = server.log;
  server.signal('SIGHUP');
  await expect
    .poll(() => server.log.slice(before.length))
    .toMatch(/^[^\n]*the server keeps its certificate: TLS_KEY_FILE [^\n]*\n$/u);
  expect(await servedFingerprint(server)).toBe(fingerprint(second));
  expect(await healthOverSession()).toBe(200);

  expect(await server.down('SIGTERM')).toBe(0);
  session.destroy();
  await server.discard();
});

test.describe('over TLS', () => {
  // Browsers refuse a service worker from a server with an untrusted certificate.
  test.use({ ignoreHTTPSErrors: true, serviceWorkers: 'block' });

  test('a file is sent and received over HTTP/2', async ({ page, context }) => {
    const server = await ServerProcess.start(await install(first));
    const buffer = randomBytes(26 * 1024 * 1024);
    const protocols = new Set<string>();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    devtools.on('Network.responseReceived', ({ response }) => protocols.add(response.protocol ?? ''));

    const share = await send(page, server.url, [{ name: 'two parts.bin', mimeType: '', buffer }]);
    expect(share.link.startsWith('https://')).toBe(true);
    await openPage(page, share);
    expect(await sha256Of(await downloadFile(page, 'two parts.bin'))).toBe(sha256(buffer));
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    expect([...protocols]).toEqual(['h2']);
    expect((await context.cookies()).map(({ secure, sameSite }) => [secure, sameSite])).toEqual([[true, 'Strict']]);
    expect(server.log).toBe(`Furoshiki serves ${server.url}\n`);
    expect(await server.down('SIGTERM')).toBe(0);
    await server.discard();
  });
});
