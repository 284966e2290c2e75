import { randomBytes } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '../apps/server/testing/process.ts';
import { ServerProcess } from './support/server-process.ts';
import { readMetric, refusalOf, transfersInto } from './support/watching.ts';

const MB = 1024 * 1024;
const PARTS = 8;
const CHUNK = 25 * MB;
const SEALED = CHUNK + 28;
/** So little of each part is sent after the signal that it arrives in time, however slow the machine. */
const END = 1024;

interface Upload {
  uploadId: string;
  fileKey: string;
}

/** A client that goes on with its cookie and token over a restart. */
async function connectTo(server: ServerProcess) {
  const response = await fetch(`${server.url}/api/csrf-token`, { method: 'POST' });
  const headers = {
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    'x-csrf-token': ((await response.json()) as { token: string }).token,
    'content-type': 'application/json',
  };
  return async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(`${server.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as T;
  };
}

type Outcome = { partNumber: number; etag: string } | { partNumber: number; failed: true };

/** Sends all but the end at once and that when it is told to go on, or breaks off. */
function sendButTheEnd(url: string, partNumber: number, bytes: Uint8Array) {
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const stopping = new AbortController();
  const init = {
    method: 'PUT',
    body: body.readable,
    duplex: 'half',
    headers: { 'content-length': String(bytes.length) },
    signal: stopping.signal,
  };
  const outcome: Promise<Outcome> = fetch(url, init as RequestInit).then(
    (response) => ({ partNumber, etag: response.headers.get('etag') ?? 'none' }),
    () => ({ partNumber, failed: true }),
  );
  return {
    outcome,
    begun: writer.write(bytes.subarray(0, -END)),
    goOn: () =>
      writer
        .write(bytes.subarray(-END))
        .then(() => writer.close())
        .catch(() => undefined),
    breakOff: () => stopping.abort(),
  };
}

/** Has the disk take what was written so far: a slow one would need longer for all of it than a server that ends has. */
async function settleObjects(server: ServerProcess): Promise<void> {
  const objects = join(server.dataDir, 'objects');
  const names = await readdir(objects, { recursive: true });
  for (const name of names.filter((one) => one.endsWith('/data'))) {
    const file = await open(join(objects, name), 'r+');
    await file.datasync();
    await file.close();
  }
}

test('eight parts under way at SIGTERM arrive or fail cleanly, and what was acknowledged is there after a restart', async () => {
  const metricsPort = await freePort();
  const server = await ServerProcess.start({ METRICS_PORT: String(metricsPort) });
  const post = await connectTo(server);
  const { uploadId, fileKey } = await post<Upload>('/upload/init', {
    fileName: 'a',
    fileSize: PARTS * CHUNK,
    contentType: '',
    totalParts: PARTS,
    downloadLimit: 1,
    retentionPeriod: 1,
    isEncrypted: true,
  });
  const upload = { uploadId, fileKey };
  const bytes = randomBytes(SEALED);
  const parts = await Promise.all(
    Array.from({ length: PARTS }, async (_, index) => {
      const { presignedUrl } = await post<{ presignedUrl: string }>('/upload/presigned-url', {
        ...upload,
        partNumber: index + 1,
      });
      return sendButTheEnd(presignedUrl, index + 1, bytes);
    }),
  );
  await Promise.all(parts.map(({ begun }) => begun));
  // Not before the server has seen all of them: a connection that nobody has taken yet is closed with the door.
  await expect
    .poll(() => readMetric(metricsPort, 'furoshiki_received_bytes_total'))
    .toBeGreaterThanOrEqual(PARTS * (SEALED - END));
  expect(await transfersInto(metricsPort)).toBe(PARTS);
  await settleObjects(server);

  const exiting = server.down('SIGTERM');
  // The door is closed to who comes now.
  await expect.poll(() => refusalOf(server.url), { intervals: [50] }).toBe('ECONNREFUSED');
  const [dropped, ...kept] = parts.toReversed();
  dropped?.breakOff();
  await Promise.all(kept.map(({ goOn }) => goOn()));
  const outcomes = await Promise.all(parts.map(({ outcome }) => outcome));
  expect(await exiting).toBe(0);

  const acknowledged = outcomes.slice(0, -1);
  expect(outcomes).toEqual([
    ...Array.from({ length: PARTS - 1 }, (_, index) => ({
      partNumber: index + 1,
      etag: expect.stringMatching(/^".+"$/u),
    })),
    { partNumber: PARTS, failed: true },
  ]);

  await server.up();
  const { parts: listed } = await post<{ parts: { PartNumber: number; ETag: string }[] }>('/upload/status', upload);
  expect(listed.map(({ PartNumber, ETag }) => ({ partNumber: PartNumber, etag: ETag }))).toEqual(acknowledged);
  // A client that went away is no news to the operator.
  expect(server.log).toBe(`Furoshiki serves ${server.url}\n`.repeat(2));
  await server.discard();
});
