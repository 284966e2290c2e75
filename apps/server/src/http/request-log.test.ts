import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toBase64 } from '@furoshiki/format';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupFormat2, newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { type ServerProcess, startServerProcess } from '../../testing/process.ts';
import { TestClient } from '../../testing/test-client.ts';
import { logOptions } from './request-log.ts';

const NAME = '給与明細-2026.pdf';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-log-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Sends a file, receives it, and causes every kind of error. Returns all secrets that occurred. */
async function driveTraffic(server: ServerProcess): Promise<string[]> {
  const [sender, recipient] = [new TestClient(server.url), new TestClient(server.url)];
  const opened = await sender.init({ fileName: NAME });
  const upload = { uploadId: opened.body.uploadId, fileKey: opened.body.fileKey };
  const signed = await sender.post('/upload/presigned-url', { ...upload, partNumber: 1 });
  await fetch(signed.body.presignedUrl, { method: 'PUT', body: new Uint8Array(5) });
  await sender.putPart(upload, 1, new Uint8Array(1028));
  await sender.post('/upload/cancel', upload);

  const file = await sender.send(new Uint8Array(randomBytes(5000)));
  await recipient.get(`/download/page/${file.pageID}`);
  const grant = await recipient.get(`/download/${file.id}`);
  const whole = await fetch(grant.body.presignedUrl);
  await whole.arrayBuffer();
  await fetch(`${grant.body.presignedUrl}0`);
  await fetch(`${server.url}/api/download/file/${file.id}`, { headers: { cookie: recipient.cookie } });

  // A symlink in place of the file causes an unexpected error with a path in its message.
  const key = new URL(grant.body.presignedUrl).pathname.split('/').at(-1) ?? '';
  const data = join(folder, 'objects', key.slice(0, 2), key, 'data');
  await rm(data);
  await symlink(data, data);
  const { status } = await fetch(grant.body.presignedUrl);
  expect(status).toBe(500);

  await fetch(`${server.url}/en/download/${file.pageID}`);
  await fetch(`${server.url}/unknown/${file.id}?token=${file.pageID}`);
  await fetch(`${server.url}/%not-hex-${file.id}`);
  await sender.post('/upload/init', `{"fileName": "${NAME}`);
  await sender.get('/download/info/x');
  await sendRaw(server.url, `NONSENSE /${file.id}\r\n\r\n`);
  await sendRaw(server.url, `GET /${file.id} HTTP/1.1\r\nbroken header ${file.id}\r\n\r\n`);
  await recipient.post(`/download/${file.id}/confirm`);
  await sender.delete(`/download/${file.id}`);

  const transfer = await newTransfer();
  const sealed = await sendFormat2(sender, transfer, new Uint8Array(randomBytes(100)), { name: NAME });
  const { list } = await groupFormat2(sender, transfer, [sealed], { message: NAME });
  await recipient.get(`/download/${sealed.id}`, { 'x-access-token': `${transfer.accessToken}0` });
  await recipient.get(`/download/${sealed.id}`, transfer.proof);
  const calls = [{ name: 'takeGrant', params: { id: sealed.id }, headers: transfer.proof }];
  await recipient.post('/batch/calls', { calls });
  const { accessToken, accessCheck, keyCheck, pageSalt } = transfer;
  const ofFormat2 = [sealed.id, sealed.details, list, accessToken, accessCheck, keyCheck, pageSalt];

  const cookies = [sender.cookie, recipient.cookie].map((cookie) => cookie.split('=')[1] ?? '');
  const signatures = [signed, grant].map(({ body }) => new URL(body.presignedUrl).searchParams.get('signature') ?? '');
  const ids = [file.id, file.pageID, key, ...Object.values(upload)];
  const texts = [NAME, 'report.pdf', '127.0.0.1', '::1', 'token=', 'signature='];
  const secrets = [...texts, ...ids, ...ofFormat2, ...cookies, ...signatures, toBase64(file.keyBytes), sender.token];
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(2);
  return secrets;
}

function sendRaw(url: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(text));
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
    socket.resume();
  });
}

const linesOf = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('logs every request by its route only, at the most verbose level', async () => {
  const server = await startServerProcess({ DATA_DIR: folder, LOG_LEVEL: 'trace' });
  const secrets = await driveTraffic(server);
  await server.stop();
  // The start line for people contains the URL and is not part of the log.
  const log = server.log().replace(`Furoshiki serves ${server.url}\n`, '');
  for (const secret of secrets) expect(log).not.toContain(secret);
  // A raw packet would be logged as a Buffer.
  expect(log).not.toContain('"Buffer"');

  const finished = linesOf(log).filter(({ msg }) => msg === 'request finished');
  const { pid: _, hostname: __, time: ___, ...line } = finished.find(({ status }) => status === 201 || status === 200)!;
  expect(line).toEqual({
    level: 30,
    msg: 'request finished',
    method: 'POST',
    route: '/api/csrf-token',
    status: 200,
    milliseconds: expect.any(Number),
    bytesIn: 0,
    bytesOut: expect.any(Number),
  });
  expect(finished.map(({ method, route, status }) => `${String(method)} ${String(route)} ${String(status)}`)).toEqual(
    expect.arrayContaining([
      'PUT /store/:key/:partNumber 200',
      'PUT /store/:key/:partNumber 400',
      'GET /store/:key 403',
      'GET /api/download/:id 200',
      'GET /api/download/:id 401',
      'GET page-or-unknown 400',
      'GET page-or-unknown 404',
    ]),
  );
  const part = finished.find(({ method, status }) => method === 'PUT' && status === 200);
  expect(part).toMatchObject({ bytesIn: 1028 });
  const failure = linesOf(log).find(({ level }) => level === 50);
  expect(failure).toMatchObject({ err: { code: 'ELOOP', stack: expect.stringContaining('sendStoredBytes') } });
});

it('describes a request that a library logs by its route', async () => {
  const app = Fastify();
  app.get('/page/:id', (request) => logOptions('trace').serializers.req(request));
  const response = await app.inject('/page/private?name=private');
  expect(response.json()).toEqual({ method: 'GET', route: '/page/:id' });
});

it('logs nothing by default while nothing fails', async () => {
  const server = await startServerProcess({ DATA_DIR: folder });
  await new TestClient(server.url).send(new Uint8Array(randomBytes(100)));
  await server.stop();
  expect(linesOf(server.log()).filter(({ level }) => Number(level) < 40)).toEqual([]);
});
