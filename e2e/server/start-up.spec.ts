// How the server starts, refuses to start, and stops.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort, runToExit } from '../../apps/server/testing/process.ts';
import { TestClient } from '../../apps/server/testing/test-client.ts';
import { ServerProcess } from '../support/server-process.ts';
import { connectionErrorOf, incomingTransfers } from '../support/probes.ts';

test.describe('a start that fails prints the reason in one line and exits with 1', () => {
  let folder: string;
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'furoshiki-start-'));
    await writeFile(join(folder, 'a-file'), '');
  });
  test.afterAll(() => rm(folder, { recursive: true }));

  for (const [what, environment, line] of [
    ['a port that is not a number', { PORT: 'abc' }, 'furoshiki: PORT must be a port number from 0 to 65535\n'],
    ['a port above 65535', { PORT: '70000' }, 'furoshiki: PORT must be a port number from 0 to 65535\n'],
    [
      'an origin with a path',
      { PUBLIC_ORIGIN: 'https://x.example/a' },
      /^furoshiki: PUBLIC_ORIGIN must be an origin .+\n$/u,
    ],
    [
      'a data folder below a file',
      { DATA_DIR: 'a-file/data' },
      /^furoshiki: DATA_DIR \S+ cannot be written \(ENOTDIR\): .+\n$/u,
    ],
    [
      'a data folder that is a file',
      { DATA_DIR: 'a-file' },
      /^furoshiki: DATA_DIR \S+ cannot be written \(\w+\): .+\n$/u,
    ],
    [
      'an address that the machine does not have',
      { HOST: '192.0.2.1' },
      /^furoshiki: cannot listen on HOST 192\.0\.2\.1, PORT \d+ \(\w+\)\n$/u,
    ],
  ] as const) {
    test(`for ${what}`, async () => {
      const settings: Record<string, string> = { DATA_DIR: 'data', ...environment };
      const exit = await runToExit('main', [], { ...settings, DATA_DIR: join(folder, settings['DATA_DIR'] ?? '') });
      expect(exit.code).toBe(1);
      expect(exit.stderr).toMatch(line);
      expect(exit.stdout).toBe('');
    });
  }

  test('for a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const exit = await runToExit('main', [], { PORT: String(port), DATA_DIR: join(folder, 'data') });
    other.close();
    expect([exit.code, exit.stderr]).toEqual([1, `furoshiki: PORT ${port} on 127.0.0.1 is in use\n`]);
  });
});

test('a server prints one line, drains on SIGTERM and exits with 0', async () => {
  const metricsPort = await freePort();
  const server = await ServerProcess.start({ METRICS_PORT: String(metricsPort) });
  expect(server.log).toBe(`Furoshiki serves ${server.url}\n`);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  const client = new TestClient(server.url);
  const { body: upload } = await client.init();
  const uploadRef = { uploadId: upload.uploadId, fileKey: upload.fileKey };
  const { body: signed } = await client.post('/upload/presigned-url', { ...uploadRef, partNumber: 1 });

  // A part that is being received when the signal arrives is still accepted.
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const putting = fetch(signed.presignedUrl, { method: 'PUT', body: body.readable, duplex: 'half' } as RequestInit);
  await writer.write(new Uint8Array(500));
  await expect.poll(() => incomingTransfers(metricsPort)).toBe(1);
  const exiting = server.down('SIGTERM');
  await expect.poll(() => connectionErrorOf(server.url), { intervals: [50] }).toBe('ECONNREFUSED');
  await writer.write(new Uint8Array(528));
  await writer.close();
  expect((await putting).status).toBe(200);
  expect(await exiting).toBe(0);
  await server.discard();
});

test('a restart keeps the secret, so that older tokens are still valid', async () => {
  const server = await ServerProcess.start();
  const client = new TestClient(server.url);
  await client.renewToken();
  await server.down('SIGTERM');
  await server.up();
  expect((await client.post('/upload/status', {})).body.errorCode).toBe('VALIDATION_FAILED');
  await server.discard();
});

test('a server does not start if its disk is not mounted', async () => {
  const server = await ServerProcess.start();
  await server.down('SIGTERM');
  const objects = join(server.dataDir, 'objects');
  await rm(objects, { recursive: true });
  const exit = await runToExit('main', [], { PORT: '0', DATA_DIR: server.dataDir });
  expect([exit.code, exit.stderr]).toEqual([
    1,
    `furoshiki: ${objects} is not the folder that the database knows: is its disk mounted?\n`,
  ]);
  await server.discard();
});

test('a server with a damaged secret or database names it in one line', async () => {
  const server = await ServerProcess.start();
  await server.down('SIGTERM');
  const start = () => runToExit('main', [], { PORT: '0', DATA_DIR: server.dataDir });
  const secret = await readFile(join(server.dataDir, 'secret'));
  await writeFile(join(server.dataDir, 'secret'), 'my own words');
  expect((await start()).stderr).toMatch(/^furoshiki: \S+secret is damaged: it must hold 64 hexadecimal digits\n$/u);
  await writeFile(join(server.dataDir, 'secret'), secret);
  await writeFile(join(server.dataDir, 'furoshiki.db'), 'no database');
  const exit = await start();
  expect([exit.code, exit.stderr]).toEqual([
    1,
    expect.stringMatching(/^furoshiki: the database \S+ cannot be used \(file is not a database\): .+\n$/u),
  ]);
  await server.discard();
});

test('PUBLIC_ORIGIN is printed, makes the cookie secure, and is not in the pages', async () => {
  const server = await ServerProcess.start({ PUBLIC_ORIGIN: 'https://files.example.org' });
  expect(server.log).toBe('Furoshiki serves https://files.example.org\n');
  const { headers } = await fetch(`${server.url}/api/csrf-token`, { method: 'POST' });
  expect(headers.getSetCookie()[0]).toContain('; Secure');
  expect(headers.get('strict-transport-security')).not.toBeNull();
  const page = await fetch(`${server.url}/en`);
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'self';");
  expect(await page.text()).not.toContain('files.example.org');
  await server.discard();
});
