// An honest client on another address than the attacker: uploads and downloads one file and compares its bytes.
// Runs as its own process, with the server's certificate in NODE_EXTRA_CA_CERTS: node visitor.ts <url> <megabytes>.
// Prints the times as one line of JSON. It never retries: the limits of another address must not meet it.
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { TestClient } from '../../apps/server/testing/test-client.ts';

const [url = '', megabytes = ''] = process.argv.slice(2);
const CHUNK = 25 * 1024 * 1024;
const LANES = 4;
const fileSize = Number(megabytes) * 1024 * 1024;
const sizes = Array.from({ length: Math.ceil(fileSize / CHUNK) }, (_, index) =>
  Math.min(CHUNK, fileSize - index * CHUNK),
);
/** What the server sees: it cannot tell sealed bytes from random ones. */
const sealed = sizes.map((size) => randomFillSync(new Uint8Array(size + 28)));

const agent = new Agent({ keepAlive: true });

/** Uses HTTP/1.1: over HTTP/2, Node's own `fetch` fails if it sends several large bodies at once. */
async function fetchHttp1(target: string, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> {
  const sent = request(target, { method, agent, headers: Object.fromEntries(new Headers(headers)) });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(new Uint8Array(await buffer(response)), { status: response.statusCode ?? 0, headers: pairs });
}

/** Runs the work for each part, a few at a time, and returns the results in order. */
async function forEachPart<T>(work: (bytes: Uint8Array<ArrayBuffer>, index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const queue = sealed.entries();
  const lane = async () => {
    for (const [index, bytes] of queue) results[index] = await work(bytes, index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startedMs = performance.now();
  const result = await work();
  return { ms: performance.now() - startedMs, result };
}

const client = new TestClient({ url, fetch: fetchHttp1 });
const upload = await timed(async () => {
  const { body } = await client.init({ fileSize, totalParts: sealed.length });
  const { uploadId, fileKey, chunkSize } = body as { uploadId: string; fileKey: string; chunkSize: number };
  const parts = await forEachPart(async (bytes, index) => {
    const { status, headers } = await client.putPart({ uploadId, fileKey }, index + 1, bytes);
    if (status !== 200) throw new Error(`a part was refused with ${status}`);
    return { PartNumber: index + 1, ETag: headers.get('etag') };
  });
  const metadata = { chunkSize, salt: btoa('0'.repeat(16)), keyCheck: btoa('0'.repeat(28)) };
  return client.post('/upload/complete', { uploadId, fileKey, metadata, parts });
});
const download = await timed(async () => {
  const { body } = await client.get(`/download/${upload.result.body.downloadId as string}`);
  let start = 0;
  const starts = sealed.map(({ length }) => (start += length) - length);
  return forEachPart(async ({ length }, index) => {
    const from = starts[index] ?? 0;
    const response = await fetchHttp1(body.presignedUrl as string, {
      headers: { range: `bytes=${from}-${from + length - 1}` },
    });
    return response.bytes();
  });
});
if (!isDeepStrictEqual(download.result, sealed)) throw new Error('the file has changed');
console.log(JSON.stringify({ uploadMs: upload.ms, downloadMs: download.ms }));
