// Checks the files in deploy/ against the server that they configure.
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variables } from '../apps/server/src/config/config-variables.ts';
import { readConfig } from '../apps/server/src/config/config.ts';
import { trustedProxies } from '../apps/server/src/config/settings.ts';
import { makeCertificate } from '../apps/server/testing/certificate.ts';
import { findProgram } from '../scripts/ensure-programs.mjs';
import { ROOT } from '../scripts/paths.mjs';

const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
/** Variables that the image sets for Node and the shell. */
const NOT_OURS = new Set(['PATH', 'NODE_ENV']);

it.each(['compose.one.yml', 'compose.many.yml'])('sets nothing in %s that the server does not know', (name) => {
  const [, service = ''] = /\n {2}furoshiki(?:|-1): ?(?:|&server)\n([\s\S]+?)\n {2}\S/u.exec(read(name)) ?? [];
  const names = Array.from(service.matchAll(/^ {6}([A-Z][A-Z0-9_]+):/gmu), ([, variable]) => variable);
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((variable) => !Object.hasOwn(variables, variable ?? ''))).toEqual([]);
});

it('sets nothing in the image that the server does not know', () => {
  const [, line = ''] = /^ENV (.+)$/mu.exec(read('Containerfile')) ?? [];
  const names = Array.from(line.matchAll(/(\w+)=/gu), ([, variable]) => variable ?? '');
  expect(names).toContain('DATA_DIR');
  expect(names.filter((name) => !NOT_OURS.has(name) && !Object.hasOwn(variables, name))).toEqual([]);
});

it.each(['Containerfile', 'compose.one.yml', 'compose.many.yml'])('pins the images of %s by tag and digest', (name) => {
  const named = Array.from(read(name).matchAll(/^(?:ARG BUILDER=| +image: )(\S+)/gmu), ([, image]) => image ?? '');
  const images = named.filter((image) => !image.startsWith('${FUROSHIKI_IMAGE:-'));
  expect(images.length).toBeGreaterThan(0);
  for (const image of images) expect(image).toMatch(/^docker\.io\/[\w/]+:[\w.-]+@sha256:[\da-f]{64}$/u);
});

it.each(['Caddyfile', 'Caddyfile.many'])('speaks TLS 1.3 only at every address of %s', (name) => {
  const sites = read(name).match(/^\{\$\w+.*\} \{$/gmu) ?? [];
  expect(sites.length).toBeGreaterThan(0);
  expect(read(name).match(/^\ttls \{\n\t\tprotocols tls1\.3\n\t\}$/gmu)).toHaveLength(sites.length);
});

it.each(['compose.one.yml', 'compose.many.yml'])('trusts in %s only proxies that the server accepts there', (name) => {
  const [, TRUST_PROXY = ''] = /^ {6}TRUST_PROXY: "?([^"\n]+)"?$/mu.exec(read(name)) ?? [];
  const [, HOST = ''] = /^ENV .*HOST=(\S+)/mu.exec(read('Containerfile')) ?? [];
  expect(HOST).toBe('0.0.0.0');
  expect(trustedProxies(readConfig({ TRUST_PROXY, HOST }))).toEqual(['uniquelocal']);
});

it.skipIf(findProgram('caddy') === undefined)('has a Caddyfile for many servers that Caddy understands', () => {
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy', 'Caddyfile.many')];
  const sites = { SITE: 'files.example.org', STORE: 'bytes.example.org' };
  const addresses = { SERVERS: '127.0.0.1:1 127.0.0.1:2', STORE_SERVER: '127.0.0.1:3' };
  const env = { PATH: process.env['PATH'], HOME: '/tmp', ...sites, ...addresses };
  const { status, stderr } = spawnSync(findProgram('caddy') ?? '', args, { encoding: 'utf8', env });
  expect(status, stderr).toBe(0);
});

it('has a public server in ten lines, of which sed and printf write what compose and Caddy need', async () => {
  const [, recipe = ''] =
    /## A public server in ten lines\n[^`]*`[^`]*`[^`]*```\n([^`]+)```/u.exec(
      readFileSync(join(ROOT, 'docs', 'OPERATING.md'), 'utf8'),
    ) ?? [];
  const lines = recipe.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(10);
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-recipe-'));
  await writeFile(join(folder, 'compose.yml'), readFileSync(join(ROOT, 'compose.yml')));
  for (const line of lines.filter((text) => /^(?:sed|printf) /u.test(text)))
    spawnSync('sh', ['-c', line.replace('/etc/caddy/', '')], { cwd: folder });
  const written = readFileSync(join(folder, 'compose.yml'), 'utf8');
  expect(written).toMatch(/^ {6}PUBLIC_ORIGIN: https:\/\/files\.example\.org$/mu);
  const caddyfile = readFileSync(join(folder, 'Caddyfile'), 'utf8');
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`\`\`\`\n${caddyfile}\`\`\``);
  await rm(folder, { recursive: true });
});

describe('the files of the sign-in', () => {
  const FILES = ['sign-in.nginx.conf', 'sign-in.caddy', 'traefik.sign-in.yml'];
  const settings = read('oauth2-proxy.cfg');
  const settingOf = (name: string) => new RegExp(`^${name} = "?([^"\\n]+)"?$`, 'mu').exec(settings)?.[1];

  it.each(FILES)('%s reaches oauth2-proxy where it listens, and at its own paths', (name) => {
    expect(read(name)).toContain(settingOf('http_address'));
    expect(read(name)).toContain('/oauth2/');
    expect(new URL(settingOf('redirect_url') ?? '').pathname).toBe('/oauth2/callback');
  });

  it('let no name of a person reach the server', () => {
    for (const name of FILES) expect(read(name)).not.toMatch(/auth_request_set|copy_headers|authResponseHeaders/u);
  });

  it('lets only the protected router of Traefik add the upload token', () => {
    const routers = read('traefik.sign-in.yml').split(/^ {4}(?=[\w-]+:$)/mu);
    const adding = routers.filter((router) => router.includes('- upload-token'));
    expect(adding).toHaveLength(1);
    expect(adding[0]).toMatch(/Path\(`\/sign-in`\)[^]+- signed-in\n +- upload-token\n/u);
  });

  it('does not let oauth2-proxy log people or withhold its cookie after the way through another site', () => {
    expect(['auth_logging', 'request_logging', 'cookie_samesite'].map(settingOf)).toEqual(['false', 'false', 'lax']);
  });
});

it('starts servers behind Caddy that have the names of its settings', () => {
  const compose = read('compose.many.yml');
  const [, servers = ''] = /^ +SERVERS: (.+)$/mu.exec(compose) ?? [];
  const services = Array.from(compose.matchAll(/^ {2}(furoshiki-\d):/gmu), ([, name]) => `${name}:3000`);
  expect(servers.split(' ')).toEqual(services);
  const [, proxy = ''] = /\n {2}proxy:\n([\s\S]+?)\n {2}\S/u.exec(compose) ?? [];
  for (const [, name] of read('Caddyfile.many').matchAll(/\{\$(\w+)\}/gu)) expect(proxy).toContain(` ${name}: `);
});

/** Whole seconds of a setting such as `keepalive_timeout 2s`. */
function secondsOf(file: string, setting: string): number {
  return Number(new RegExp(`^\\s*${setting}[ =](\\d+)s?;?$`, 'mu').exec(read(file))?.[1]);
}

function serverMs(name: string): number {
  const source = readFileSync(join(ROOT, 'apps/server/src/server.ts'), 'utf8');
  return Number(new RegExp(`${name} = ([\\d_]+);`, 'u').exec(source)?.[1]?.replaceAll('_', ''));
}

it('lets proxies notice that a server stops before it closes its port', () => {
  const announceMs = serverMs('ANNOUNCE_MS');
  expect(secondsOf('nginx.many.conf', 'keepalive_timeout') * 1000).toBeLessThan(announceMs);
  expect(secondsOf('Caddyfile.many', 'health_interval') * 2000).toBeLessThan(announceMs);
  expect(announceMs).toBeLessThan(serverMs('DRAIN_MS') / 2);
});

it('lets systemd restart the server without end, and wait until it has stopped', () => {
  const mailMs = 60_000;
  expect(secondsOf('furoshiki.service', 'StartLimitIntervalSec')).toBe(0);
  expect(secondsOf('furoshiki.service', 'RestartSec')).toBeGreaterThan(0);
  expect(read('furoshiki.service')).toMatch(/^Restart=always$/mu);
  expect(secondsOf('furoshiki.service', 'TimeoutStopSec') * 1000).toBeGreaterThan(serverMs('DRAIN_MS') + mailMs);
});

it.skipIf(findProgram('systemd-analyze') === undefined).each(['furoshiki.service', 'furoshiki@1.service'])(
  'has a unit that systemd understands as %s',
  async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-unit-'));
    // systemd also looks for the program.
    await writeFile(
      join(folder, name),
      read('furoshiki.service').replace('=/opt/furoshiki/current/bin/node', '=/bin/true'),
    );
    const args = ['verify', '--man=no', join(folder, name)];
    const { status, stderr } = spawnSync(findProgram('systemd-analyze') ?? '', args, { encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('furoshiki'))]).toEqual([0, []]);
    await rm(folder, { recursive: true });
  },
);

it.each(['Containerfile', 'compose.one.yml', 'compose.many.yml'])('checks the health of the server in %s', (name) => {
  expect(read(name)).toMatch(/healthcheck[^]+\/app\/is-healthy\.mjs/iu);
});

/** Returns the exit code of the health check and the path that it requested. */
async function checkHealth(
  server: http.Server,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<[exitCode: number | null, requestedPath: string]> {
  let requestedPath = '';
  server.on('request', ({ url = '' }) => (requestedPath = url));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const check = execFile(process.execPath, [join(ROOT, 'deploy', 'is-healthy.mjs'), ...args], {
    env: { ...env, PORT: `${port}` },
  });
  await once(check, 'exit');
  server.close();
  return [check.exitCode, requestedPath];
}

it.each([
  [200, 0],
  [503, 1],
])('maps the status %i below the base path to the exit code %i', async (status, exitCode) => {
  const server = http.createServer((_request, response) => response.writeHead(status).end());
  expect(await checkHealth(server, { BASE_PATH: '/files' })).toEqual([exitCode, '/files/healthz']);
});

it('asks whether the server is ready, if told so', async () => {
  const server = http.createServer((_request, response) => response.end());
  expect(await checkHealth(server, {}, 'readyz')).toEqual([0, '/readyz']);
});

it('uses TLS if the server does, and accepts any certificate', async () => {
  const { cert, key, certFile, discard } = await makeCertificate();
  const server = https.createServer({ cert, key }, (_request, response) => response.end());
  expect(await checkHealth(server, { TLS_CERT_FILE: certFile })).toEqual([0, '/healthz']);
  await discard();
});
