// Transfers and client addresses behind nginx and Caddy, with the documented and with default configurations.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { TestClient } from '../../apps/server/testing/test-client.ts';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { nginxSite, oneServerSite, type Ports } from '../support/deployed-proxies.ts';
import { downloadFile, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';
import { type ProxyName, ProxyProcess } from '../support/proxy-process.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

/** One part, far above the megabyte that nginx allows by default. */
const BYTES = randomBytes(6 * 1024 * 1024);
const NAME = 'part.bin';

let folder: string;
let certificate: MadeCertificate;
test.beforeAll(async () => {
  certificate = await makeCertificate();
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-proxies-'));
  await writeFile(join(folder, NAME), BYTES);
});
test.afterAll(() => Promise.all([certificate.discard(), rm(folder, { recursive: true })]));
// Browsers refuse a service worker from a server with an untrusted certificate.
test.use({ ignoreHTTPSErrors: true, serviceWorkers: 'block' });

type Setup = {
  proxy: ProxyName;
  scheme: 'http' | 'https';
  sites: (ports: Ports) => string | Promise<string>;
  environment: Record<string, string>;
  /** The proxy does not forward its address, so the server gets it as PUBLIC_ORIGIN. */
  forwardsNothing?: true;
  /** The proxy logs what is needed to download: page ids or signed URLs. */
  logsLinks?: true;
};

const TRUST_PROXY = { TRUST_PROXY: '1' };
const deployedNginx = (ports: Ports) => oneServerSite('nginx', ports, certificate);
const deployedCaddy = (ports: Ports) => oneServerSite('caddy', ports, certificate);

const stockNginx = ({ proxy, server }: Ports, line: string) =>
  `server { listen 127.0.0.1:${proxy}; location / { proxy_pass http://127.0.0.1:${server}; ${line} } }`;

const setups = {
  'nginx as in deploy/nginx.conf': { proxy: 'nginx', scheme: 'https', sites: deployedNginx, environment: TRUST_PROXY },
  'Caddy as in deploy/Caddyfile': { proxy: 'caddy', scheme: 'https', sites: deployedCaddy, environment: TRUST_PROXY },
  'a stock nginx with the one line that it needs': {
    proxy: 'nginx',
    scheme: 'http',
    sites: (ports) => stockNginx(ports, 'client_max_body_size 0;'),
    environment: {},
    forwardsNothing: true,
    logsLinks: true,
  },
  'a stock Caddy': {
    proxy: 'caddy',
    scheme: 'http',
    sites: ({ proxy, server }) => `http://127.0.0.1:${proxy} {\nreverse_proxy 127.0.0.1:${server}\n}`,
    environment: TRUST_PROXY,
    logsLinks: true,
  },
  'nginx, below a path': {
    proxy: 'nginx',
    scheme: 'https',
    sites: async (ports) => (await deployedNginx(ports)).replace('location / {', 'location /files {'),
    environment: { ...TRUST_PROXY, BASE_PATH: '/files' },
  },
  'Caddy, below a path': {
    proxy: 'caddy',
    scheme: 'https',
    sites: async (ports) => (await deployedCaddy(ports)).replace('reverse_proxy ', 'reverse_proxy /files* '),
    environment: { ...TRUST_PROXY, BASE_PATH: '/files' },
  },
} satisfies Record<string, Setup>;

async function behindProxy(
  setup: Setup,
  work: (url: string, processes: { proxy: ProxyProcess; server: ServerProcess }) => Promise<void>,
  more: Record<string, string> = {},
) {
  const proxyPort = await freePort();
  const origin = `${setup.scheme}://127.0.0.1:${proxyPort}`;
  const publicOrigin = setup.forwardsNothing ? { PUBLIC_ORIGIN: origin } : {};
  const server = await ServerProcess.start({ ...setup.environment, ...publicOrigin, ...more });
  const proxy = await ProxyProcess.start(
    setup.proxy,
    proxyPort,
    await setup.sites({ proxy: proxyPort, server: server.port }),
  );
  try {
    await work(origin + (setup.environment['BASE_PATH'] ?? ''), { proxy, server });
  } finally {
    await proxy.discard();
    await server.discard();
  }
}

function skipWithout(name: ProxyName): void {
  test.skip(findProgram(name) === undefined, `${name} is not installed`);
}

for (const [name, setup] of Object.entries(setups) as [string, Setup][]) {
  test(`a file is sent and received through ${name}`, async ({ page }) => {
    skipWithout(setup.proxy);
    await behindProxy(setup, async (url, { proxy, server }) => {
      const share = await send(page, url, [join(folder, NAME)]);
      expect(share.link.startsWith(`${url}/en/download/`)).toBe(true);
      await openPage(page, share);
      expect(await sha256Of(await downloadFile(page, NAME))).toBe(sha256(BYTES));
      await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
      // Proxies log a failed request even if they log no other.
      await server.down('SIGKILL');
      expect((await page.request.get(share.link)).status()).toBe(502);
      const pageId = new URL(share.link).pathname.split('/').at(-1) ?? '';
      const logs = await proxy.logs();
      expect(logs.includes(pageId) || logs.includes('signature=')).toBe(setup.logsLinks ?? false);
    });
  });
}

/** Returns the status of a request from the given local address. */
async function statusOf(url: string, from: string, headers: Record<string, string>, body = ''): Promise<number> {
  const options = { method: 'POST', localAddress: from, headers, rejectUnauthorized: false };
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, options).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

for (const name of ['nginx as in deploy/nginx.conf', 'Caddy as in deploy/Caddyfile'] as const) {
  test(`behind ${name} clients are counted by their real address, even if they forge X-Forwarded-For`, async () => {
    const setup: Setup = setups[name];
    skipWithout(setup.proxy);
    const work = async (url: string) => {
      const token = (from: string, forged: string) =>
        statusOf(`${url}/api/csrf-token`, from, {
          'x-forwarded-for': forged,
          'x-real-ip': forged,
          forwarded: `for=${forged}`,
        });
      expect(await token('127.0.0.1', '192.0.2.1')).toBe(200);
      expect(await token('127.0.0.1', '192.0.2.2, 192.0.2.3')).toBe(200);
      expect(await token('127.0.0.1', '192.0.2.4')).toBe(429);
      expect(await token('127.0.0.2', '127.0.0.1')).toBe(200);
    };
    await behindProxy(setup, work, { TOKENS_PER_HOUR: '2' });
  });
}

for (const name of ['nginx as in deploy/nginx.conf', 'Caddy as in deploy/Caddyfile'] as const) {
  test(`${name} speaks TLS 1.3 only, keeps browsers on https, and passes no forged host on`, async ({ request }) => {
    const setup: Setup = setups[name];
    skipWithout(setup.proxy);
    await behindProxy(setup, async (url) => {
      // Caddy chooses its settings by host name, and browsers send none for an address.
      const site = { host: '127.0.0.1', port: Number(new URL(url).port), servername: 'localhost' };
      const old = connect({ ...site, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
      await expect(once(old, 'secureConnect')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
      const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example;proto=http' };
      const response = await request.get(`${url}/en`, { headers: forged });
      expect(response.headers()['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
      // Pages have no address of their server. The sitemap has.
      const sitemap = await (await request.get(`${url}/sitemap.xml`, { headers: forged })).text();
      expect(sitemap).toContain(`${url}/en`);
      for (const text of [await response.text(), sitemap]) expect(text).not.toContain('evil.example');
    });
  });
}

test('a stock nginx without that line rejects bodies above one megabyte, as documented, and keeps responses', async () => {
  skipWithout('nginx');
  const setup: Setup = {
    ...setups['a stock nginx with the one line that it needs'],
    sites: (ports) => stockNginx(ports, ''),
  };
  await behindProxy(setup, async (url) => {
    const status = (bytes: number) => statusOf(`${url}/store/x/1`, '127.0.0.1', {}, 'x'.repeat(bytes));
    expect([await status(1024 * 1024), await status(1024 * 1024 + 1)]).toEqual([405, 413]);
    expect(await countPieces(url)).toBe(1);
  });
});

/** Returns in how many pieces a response arrives of which the server sends the second half later. The doctor counts them too. */
async function countPieces(url: string): Promise<number> {
  const sent = (url.startsWith('https:') ? requestHttps : requestHttp)(`${url}/healthz?halves`, {
    rejectUnauthorized: false,
  });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return (await response.toArray()).length;
}

/** More than the buffers of a connection hold. */
const LARGE = 24 * 1024 * 1024;
const READERS = 40;
const MAX_TEMPORARY = 50 * 1024 * 1024;

/** Asks for bytes, and reads no more than the first line of the response. */
async function askAndStall(target: URL, status = '200 OK'): Promise<TLSSocket> {
  const socket = connect({ host: target.hostname, port: Number(target.port), rejectUnauthorized: false });
  socket.write(`GET ${target.pathname}${target.search} HTTP/1.1\r\nhost: ${target.host}\r\n\r\n`);
  await once(socket, 'readable');
  const line = `HTTP/1.1 ${status}`;
  expect(String(socket.read(line.length))).toBe(line);
  return socket;
}

/** Sends a large file past the proxy, and returns where it is read through the proxy. */
async function sendLarge(url: string, server: ServerProcess): Promise<URL> {
  const client = new TestClient(server.url);
  const { id } = await client.send(new Uint8Array(LARGE));
  const { pathname, search } = new URL((await client.get(`/download/${id}`)).body.presignedUrl as string);
  return new URL(pathname + search, url);
}

const manyNginx = ({ proxy, server }: Ports) =>
  nginxSite(proxy, [`127.0.0.1:${server}`, `127.0.0.1:${server}`], certificate);

for (const [name, sites] of Object.entries({ 'nginx.conf': deployedNginx, 'nginx.many.conf': manyNginx })) {
  test(`nginx as in deploy/${name} limits the connections of an address`, async () => {
    skipWithout('nginx');
    const setup: Setup = {
      ...setups['nginx as in deploy/nginx.conf'],
      sites: async (ports) => (await sites(ports)).replace('furoshiki_addresses 256;', 'furoshiki_addresses 2;'),
    };
    await behindProxy(setup, async (url, { server }) => {
      const target = await sendLarge(url, server);
      const stalled = [await askAndStall(target), await askAndStall(target)];
      stalled.push(await askAndStall(target, '429 Too Many Requests'));
      for (const reader of stalled) reader.destroy();
    });
  });
}

for (const [name, sites] of Object.entries({ 'nginx.conf': deployedNginx, 'nginx.many.conf': manyNginx })) {
  test(`nginx as in deploy/${name} keeps nothing of a response on its disk for readers that do not read`, async () => {
    skipWithout('nginx');
    const setup: Setup = { ...setups['nginx as in deploy/nginx.conf'], sites };
    await behindProxy(setup, async (url, { proxy, server }) => {
      expect(await countPieces(url)).toBe(2);
      const target = await sendLarge(url, server);
      const stalled = await Promise.all(Array.from({ length: READERS }, () => askAndStall(target)));
      // Meanwhile nginx would have taken as much for each of the others.
      const [response] = (await once(requestHttps(target, { rejectUnauthorized: false }).end(), 'response')) as [
        IncomingMessage,
      ];
      let received = 0;
      for await (const bytes of response as AsyncIterable<Buffer>) received += bytes.length;
      expect(received).toBeGreaterThan(LARGE);
      expect(await proxy.temporaryBytes()).toBeLessThan(MAX_TEMPORARY);
      for (const reader of stalled) reader.destroy();
    });
  });
}
