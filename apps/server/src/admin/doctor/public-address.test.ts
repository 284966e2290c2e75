// What the doctor sees from outside, at PUBLIC_ORIGIN.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { SecureVersion } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../../testing/certificate.ts';
import { createPatient, type Patient } from '../../../testing/patient.ts';
import { freePort } from '../../../testing/process.ts';
import { startTestServer } from '../../../testing/test-server.ts';

let patient: Patient;
let diagnose: Patient['diagnose'];
beforeEach(async () => {
  patient = await createPatient();
  ({ diagnose } = patient);
});
afterEach(() => patient.discard());

async function behind({ status, body, lateMs = 0 }: { status: number; body: string; lateMs?: number }) {
  const proxy = createServer((_request, response) => {
    response.writeHead(status, { date: new Date(Date.now() - lateMs).toUTCString() }).end(body);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const found = await diagnose({ PUBLIC_ORIGIN: `http://127.0.0.1:${(proxy.address() as { port: number }).port}` });
  proxy.close();
  return found;
}

it('names a service that cannot be reached', async () => {
  const { names, failing, findings } = await diagnose({ PUBLIC_ORIGIN: `http://127.0.0.1:${await freePort()}` });
  expect(names).toEqual(['reachable']);
  expect(failing[0]?.text).toContain('(ECONNREFUSED)');
  expect(findings.find(({ name }) => name === 'clock')).toMatchObject({ state: 'skipped' });
});

it('names a proxy that leads elsewhere', async () => {
  const { failing } = await behind({ status: 502, body: 'Bad Gateway' });
  expect(failing.map(({ text }) => text)).toEqual([expect.stringContaining('responds with 502')]);
});

it('names a clock that is wrong', async () => {
  const { failing } = await behind({ status: 200, body: '{"status":"ok"}', lateMs: 120_000 });
  expect(failing.map(({ name, text }) => [name, text])).toEqual([
    ['clock', expect.stringMatching(/differ by 1[23]\d seconds/u)],
  ]);
});

it.each([
  ['names a proxy that keeps a response until it is complete', true, 'warning'],
  ['accepts a proxy that passes a response on while it is being sent', false, 'ok'],
])('%s', async (_name, isBuffering, state) => {
  const server = await startTestServer();
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const upstream = await fetch(server.url + request.url);
    const date = { date: upstream.headers.get('date') ?? '' };
    if (isBuffering) response.writeHead(200, date).end(await upstream.text());
    else await pipeline(Readable.fromWeb(upstream.body as ReadableStream), response.writeHead(200, date));
  }
  const proxy = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { findings } = await diagnose({ PUBLIC_ORIGIN: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  proxy.close();
  await server.close();
  expect(findings.find(({ name }) => name === 'proxy buffering')).toMatchObject({ state });
});

describe('the sign-in page', () => {
  const REDIRECT = { location: 'https://login.example.org/' };
  const PASS = { 'set-cookie': '__Host-furoshiki-pass=1.x; Path=/' };

  it.each<[string, number, Record<string, string>, string, string]>([
    ['leads to the sign-in', 302, REDIRECT, 'ok', 'is only for people who sign in'],
    ['refuses strangers', 401, {}, 'ok', 'is only for people who sign in'],
    ['is not protected', 200, {}, 'failed', 'no one can sign in'],
    ['gives everyone a pass', 200, PASS, 'failed', 'everyone may send'],
    ['gives everyone a pass and leads elsewhere', 302, { ...REDIRECT, ...PASS }, 'failed', 'everyone may send'],
    ['has no service behind it', 502, {}, 'failed', 'responds with 502'],
  ])('%s', async (_, status, headers, state, text) => {
    const proxy = createServer(({ url }, response) => {
      if (url === '/files/sign-in') response.writeHead(status, headers).end();
      else response.end('{"status":"ok"}');
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const PUBLIC_ORIGIN = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const UPLOAD_TOKEN = 'a token that is long enough to be one';
    const { findings } = await diagnose({ PUBLIC_ORIGIN, BASE_PATH: '/files', SIGN_IN: 'true', UPLOAD_TOKEN });
    proxy.close();
    expect(findings.find(({ name }) => name === 'sign-in')).toMatchObject({
      state,
      text: expect.stringContaining(text),
    });
  });

  it('is not looked for where people do not sign in', async () => {
    const { findings } = await diagnose({ PUBLIC_ORIGIN: `http://127.0.0.1:${await freePort()}` });
    expect(findings.find(({ name }) => name === 'sign-in')).toMatchObject({ state: 'skipped' });
  });
});

describe('over https', () => {
  let certificate: MadeCertificate;
  beforeAll(async () => {
    certificate = await makeCertificate();
  });
  afterAll(() => certificate.discard());

  async function findingsAt(minVersion: SecureVersion, headers: Record<string, string>) {
    const { cert, key } = certificate;
    const site = createHttpsServer({ cert, key, minVersion }, (_request, response) => {
      response.writeHead(200, headers).end('{"status":"ok"}');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const { findings } = await diagnose({ PUBLIC_ORIGIN: `https://127.0.0.1:${port}` });
    site.closeAllConnections();
    site.close();
    return (name: string) => findings.find((finding) => finding.name === name);
  }

  it('names a site that still accepts TLS 1.2', async () => {
    expect((await findingsAt('TLSv1.2', {}))('TLS versions')).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('still accept TLS 1.2'),
      advice: expect.stringContaining('ssl_protocols TLSv1.3;'),
    });
    expect((await findingsAt('TLSv1.3', {}))('TLS versions')).toMatchObject({ state: 'ok' });
  });

  it.each([
    [{}, 'failed'],
    [{ 'strict-transport-security': 'max-age=300' }, 'failed'],
    [{ 'strict-transport-security': 'includeSubDomains; max-age=31536000' }, 'ok'],
  ])('judges the headers %j as %s', async (headers, state) => {
    expect((await findingsAt('TLSv1.3', headers))('HSTS')).toMatchObject({ state });
  });

  it('does not judge an address that cannot be reached', async () => {
    const { findings, names } = await diagnose({ PUBLIC_ORIGIN: `https://127.0.0.1:${await freePort()}` });
    expect(names).toEqual(['reachable']);
    expect(findings.filter(({ name }) => ['TLS versions', 'HSTS'].includes(name)).map(({ state }) => state)).toEqual([
      'skipped',
      'skipped',
    ]);
  });
});
