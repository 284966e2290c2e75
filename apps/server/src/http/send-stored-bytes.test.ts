import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { makeCertificate } from '../../testing/certificate.ts';
import { grantRead } from '../../testing/grant-read.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import type { ServedStore } from '../ports/object-store.ts';

/** Far more than the socket buffers of both sides hold. */
const LENGTH = 64 * 1024 * 1024;
let server: TestServer;
afterEach(() => server.close());

async function aStoredObject(): Promise<{ url: URL; key: string }> {
  const store = server.context.objects as ServedStore;
  const key = randomBytes(16).toString('base64url');
  const upload = { key, uploadId: await store.createUpload(key) };
  const part = { ...upload, partNumber: 1, offset: 0, length: LENGTH };
  const etag = await store.writePart(part, Readable.from([Buffer.alloc(LENGTH)]));
  await store.completeUpload(upload, [{ partNumber: 1, etag, length: LENGTH }]);
  const expiresAtMs = server.context.clock.nowMs() + 60_000;
  const clientHash = await grantRead(server.context, key);
  return { key, url: new URL(await store.signReadUrl({ key, clientHash, siteUrl: server.url, expiresAtMs })) };
}

/** Counts the file descriptors of this process, in which the server runs, that belong to the object. */
function timesOpen(key: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor)).includes(key);
    } catch {
      // The descriptor was closed after it was listed.
      return false;
    }
  }).length;
}

it('closes the file when an HTTP/1.1 client disconnects during the response', async () => {
  server = await startTestServer();
  const { url, key } = await aStoredObject();
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  await once(response, 'readable');
  expect(timesOpen(key)).toBe(1);
  response.destroy();
  await expect.poll(() => timesOpen(key)).toBe(0);
});

it('closes the file when the connection ends during a write', async () => {
  server = await startTestServer();
  const { url, key } = await aStoredObject();
  let connection: Socket | undefined;
  const onRequest = (message: unknown) => ({ socket: connection } = message as { socket: Socket });
  subscribe('http.server.request.start', onRequest);
  const store = server.context.objects;
  const read = store.read.bind(store);
  const cut = vi.spyOn(store, 'read').mockImplementation(async function* (...range) {
    for await (const block of read(...range)) {
      connection?.destroy();
      yield block;
    }
  });
  await expect(once(get(url), 'response')).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(cut).toHaveBeenCalledOnce();
  await expect.poll(() => timesOpen(key)).toBe(0);
  unsubscribe('http.server.request.start', onRequest);
});

it('closes the file when an HTTP/2 client cancels its stream', async () => {
  const certificate = await makeCertificate();
  server = await startTestServer({
    config: { TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile },
  });
  const { url, key } = await aStoredObject();
  const session = connect(url.origin, { ca: certificate.cert });
  const stream = session.request({ ':path': url.pathname + url.search });
  await once(stream, 'readable');
  expect(timesOpen(key)).toBe(1);
  stream.close();
  await expect.poll(() => timesOpen(key)).toBe(0);
  session.destroy();
  await certificate.discard();
});

it('cuts the connection if the file is shorter than announced, so that no client accepts it as complete', async () => {
  server = await startTestServer();
  const { url, key } = await aStoredObject();
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  truncateSync(join(server.folder, 'objects', key.slice(0, 2), key, 'data'), LENGTH / 2);
  await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
});
