// A server that is stopped finishes the requests that it has accepted.
import { randomBytes } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '../../apps/server/testing/process.ts';
import { ServerProcess } from '../support/server-process.ts';
import { readMetric, connectionErrorOf, incomingTransfers } from '../support/probes.ts';

const MB = 1024 * 1024;
const PARTS = 4;
const CHUNK = 25 * MB;
const SEALED = CHUNK + 28;
/** Bytes of a part that are sent after the signal: few, so that they arrive in time on a slow machine, too. */
const END = 1024;

interface Upload {
  uploadId: string;
  fileKey: string;
}

/** A client that keeps its cookie and token over a restart. */
async function connectTo(server: ServerProcess) {
  const response = await fetch(`${server.url}/api/csrf-token`, { method: 'POST' });
  const headers = {
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    'x-csrf-token': ((await response.json()) as { token: string }).token,
    'content-type': 'application/json',
  };
  return async <T>(path: string, body: object): Promise<T> => {
    const result = await fetch(`${server.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await result.json()) as T;
  };
}

type Outcome = { partNumber: number; etag: string } | { partNumber: number; failed: true };

/** Sends all but the last bytes at once. `finish` sends those, `abort` closes the connection. */
function startPart(url: string, partNumber: number, bytes: Uint8Array) {
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
    started: writer.write(bytes.subarray(0, -END)),
    finish: () =>
      writer
        .write(bytes.subarray(-END))
        .then(() => writer.close())
        .catch(() => undefined),
    abort: () => stopping.abort(),
  };
}

/** Syncs the files to disk: a slow disk could need longer for it than a server has to stop. */
async function syncObjects(server: ServerProcess): Promise<void> {
  const objects = join(server.dataDir, 'objects');
  const names = await readdir(objects, { recursive: true });
  for (const name of names.filter((path) => path.endsWith('/data'))) {
    const file = await open(join(objects, name), 'r+');
    await file.datasync();
    await file.close();
  }
}

test('parts in progress at SIGTERM arrive or fail cleanly, and acknowledged parts exist after a restart', async () => {
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
      return startPart(presignedUrl, index + 1, bytes);
    }),
  );
  await Promise.all(parts.map(({ started }) => started));
  // Wait until the server has accepted all connections: it closes those that it has not accepted yet.
  await expect
    .poll(() => readMetric(metricsPort, 'furoshiki_received_bytes_total'))
    .toBeGreaterThanOrEqual(PARTS * (SEALED - END));
  expect(await incomingTransfers(metricsPort)).toBe(PARTS);
  await syncObjects(server);

  const exiting = server.down('SIGTERM');
  // New connections are refused.
  await expect.poll(() => connectionErrorOf(server.url), { intervals: [50] }).toBe('ECONNREFUSED');
  const [dropped, ...kept] = parts.toReversed();
  dropped?.abort();
  await Promise.all(kept.map(({ finish }) => finish()));
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
  // A client that disconnects is not logged.
  expect(server.log).toBe(`Furoshiki serves ${server.url}\n`.repeat(2));
  await server.discard();
});
