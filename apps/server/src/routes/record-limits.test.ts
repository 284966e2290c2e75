// MAX_DAILY_RECORD_BYTES: what one address may add to the database in a day. Each file takes about 2 KB besides its details, and
// an open upload is counted with the 8 KB of details that it may still bring.
import { randomBytes } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { INIT, TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

async function clientWith(MAX_DAILY_RECORD_BYTES: number): Promise<TestClient> {
  server = await createTestServer({ config: { MAX_DAILY_RECORD_BYTES } });
  return new TestClient(server);
}

const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

/** Sends a file with details of this length, on a page with a list of this length, if it has one. Returns the last status. */
async function sendWith(client: TestClient, detailsLength: number, listLength: number): Promise<number> {
  const { body: upload } = await client.init();
  const put = await client.put(upload.presignedUrl, new Uint8Array(INIT.fileSize + 28));
  const metadata = {
    format: 2,
    chunkSize: upload.chunkSize,
    details: 'A'.repeat(detailsLength),
    salt: base64(16),
    pageSalt: base64(16),
    keyCheck: base64(32),
    accessCheck: base64(32),
  };
  const { uploadId, fileKey } = upload;
  const parts = [{ PartNumber: 1, ETag: put.headers.get('etag') }];
  const { status, body } = await client.post('/upload/complete', { uploadId, fileKey, metadata, parts });
  if (listLength === 0) return status;
  const list = 'A'.repeat(listLength);
  return (await client.post('/batch/upload', { fileIDs: [body.downloadId], list })).status;
}

it('lets one address add only so much to the database in a day, with what its open uploads may still add', async () => {
  const client = await clientWith(20_000);
  expect((await client.init()).status).toBe(200);
  const { status, body } = await client.init();
  expect([status, body.errorCode]).toEqual([429, 'RATE_LIMITED']);
});

it.each([
  ['nothing more', 100, 0, 200],
  ['long details', 6000, 0, 429],
  ['a long list', 100, 6000, 429],
])('counts a file with %s until the next day', async (_, detailsLength, listLength, expected) => {
  const client = await clientWith(16_000);
  expect(await sendWith(client, detailsLength, listLength)).toBe(200);
  expect((await client.init()).status).toBe(expected);
  server.wait(24 * 3_600_000);
  await client.renewToken();
  expect((await client.init()).status).toBe(200);
});

it('refuses a list that is longer than what is left of the day', async () => {
  expect(await sendWith(await clientWith(16_000), 100, 20_000)).toBe(429);
});
