// A store that is busy refuses parts before their first byte. With S3_PROXY, this server repeats them itself.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSigner } from '../../signing.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { createS3ProxyStore } from './s3-store.ts';

const SLOW_DOWN = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';
/** The SDK asks before it sends a body of this size. */
const bytes = randomBytes(3 * 1024 * 1024);

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  requests += 1;
  if (requests <= refusals) {
    response.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
    return;
  }
  response.writeContinue();
  received.push(await buffer(request));
  response.writeHead(200, { etag: '"stored"' }).end();
}

let server: Server;
let store: ServedStore;
let requests: number;
let refusals: number;
let received: Buffer[];
beforeEach(async () => {
  [requests, refusals, received] = [0, 0, []];
  server = createServer().on('checkContinue', (request, response) => void respond(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const where = { bucket: 'files', endpoint, publicEndpoint: undefined, region: 'us-east-1', pathStyle: true };
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  store = await createS3ProxyStore({ ...where, credentials }, createSigner(randomBytes(32)));
});
afterEach(() => void server.close());

const write = (body: Readable) =>
  store.writePart({ key: 'key', uploadId: 'upload', partNumber: 1, offset: 0, length: bytes.length }, body);

it('takes a part from the client once, however often the store says at first that it is busy', async () => {
  refusals = 3;
  expect(await write(Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]))).toBe('"stored"');
  expect(requests).toBe(4);
  expect(received).toEqual([bytes]);
});

it('gives up after four attempts, and names the error of the store', async () => {
  refusals = 99;
  const refusal = { code: 'SERVICE_UNAVAILABLE', engineCode: 'SlowDown' };
  await expect(write(Readable.from([bytes]))).rejects.toMatchObject(refusal);
  expect(requests).toBe(4);
});

it('stops repeating when the client is gone', async () => {
  refusals = 99;
  const body = new Readable({ read: () => undefined });
  const writing = write(body);
  await expect.poll(() => requests).toBe(1);
  body.destroy(new Error('the client is gone'));
  await expect(writing).rejects.toBeInstanceOf(Error);
  expect(requests).toBeLessThan(4);
});
