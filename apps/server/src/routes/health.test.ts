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

it('returns a tag that shows whether two requests count under one address, and nothing about that address', async () => {
  const trusting = await createTestServer({ config: { TRUST_PROXY: 1 } });
  const answer = async (nonce: string, address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await trusting.fetch(`${trusting.url}/healthz?nonce=${nonce}`, { headers })).json();
  };
  const [one, other] = ['a'.repeat(22), 'b'.repeat(22)];
  const first = await answer(one, '192.0.2.1');
  expect(first).toEqual({ status: 'ok', addressTag: expect.stringMatching(/^[\w-]{43}$/u) });
  expect(await answer(one, '192.0.2.1')).toEqual(first);
  expect(await answer(one, '192.0.2.2')).not.toEqual(first);
  expect(await answer(other, '192.0.2.1')).not.toEqual(first);
  expect(await answer('short', '192.0.2.1')).toEqual({ status: 'ok' });
  await trusting.close();
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
