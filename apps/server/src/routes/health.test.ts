import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

async function request(path: string) {
  const response = await server.fetch(server.url + path);
  return [response.status, await response.json(), response.headers.get('cache-control')];
}

it('is healthy and ready', async () => {
  expect(await request('/healthz')).toEqual([200, { status: 'ok' }, 'no-store']);
  expect(await request('/readyz')).toEqual([200, { status: 'ok' }, 'no-store']);
  expect(await request('/api/readiness')).toEqual([200, { ready: true }, 'no-store']);
});

it('is not ready, but healthy, while the object store does not respond', async () => {
  const objects = join(server.folder, 'objects');
  await rename(objects, `${objects}.away`);
  expect(await request('/readyz')).toEqual([503, { status: 'unavailable', failing: ['storage'] }, 'no-store']);
  expect(await request('/api/readiness')).toEqual([200, { ready: false }, 'no-store']);
  expect(await request('/healthz')).toEqual([200, { status: 'ok' }, 'no-store']);
  await rename(`${objects}.away`, objects);
  expect(await request('/readyz')).toEqual([200, { status: 'ok' }, 'no-store']);
});

it('is not ready while the database does not respond', async () => {
  const ping = server.context.metadata.ping;
  server.context.metadata.ping = () => Promise.reject(new Error('gone'));
  expect(await request('/readyz')).toEqual([503, { status: 'unavailable', failing: ['database'] }, 'no-store']);
  server.context.metadata.ping = ping;
});
