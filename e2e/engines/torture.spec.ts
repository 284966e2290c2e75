// One server is killed and started again while clients send and fetch files.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reply, TestClient } from '../../apps/server/testing/test-client.ts';
import { startTestServer } from '../../apps/server/testing/test-server.ts';
import { reconcile } from '../../apps/server/src/services/reconcile.ts';
import { sweep } from '../../apps/server/src/services/deletion.ts';
import { IS_LONG } from '../support/long.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const SCRIPTS = IS_LONG ? 200 : 20;
const AT_ONCE = 8;
const CHUNK = 25 * 1024 * 1024;
/** The server is killed after a random number of responses up to this one. A slow machine makes as much progress in a life. */
const RESPONSES_PER_LIFE = IS_LONG ? 100 : 60;

/** Counted over all restarts of the server. */
let responses = 0;

interface Outcome {
  id: string;
  limit: number;
  stored: Buffer;
  /** How many clients got a grant. */
  grants: number;
}

/** Retries through crashes, as a browser does. A refusal counts as a response. */
async function withRetries<T extends { status: number }>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const reply = await attempt().catch(() => undefined);
    if (reply && reply.status < 500) {
      responses += 1;
      return reply;
    }
    await sleep(25);
  }
}

/** Uploads one file of one part, sometimes of two, and completes it. */
async function upload(client: TestClient, limit: number): Promise<Outcome> {
  const size = randomInt(40) === 0 ? CHUNK + 1000 : randomInt(1, 200_000);
  const { body: init } = await withRetries(() => client.init({ fileSize: size, downloadLimit: limit }));
  const uploadRef = { uploadId: init.uploadId, fileKey: init.fileKey };
  const stored: Buffer[] = [];
  const parts: { PartNumber: number; ETag: string | null }[] = [];
  for (let n = 1; n <= init.totalParts; n += 1) {
    const bytes = randomBytes(Math.min(CHUNK, size - (n - 1) * CHUNK) + 28);
    const put = await withRetries(() => client.putPart(uploadRef, n, new Uint8Array(bytes)));
    stored.push(bytes);
    parts.push({ PartNumber: n, ETag: put.headers.get('etag') });
  }
  const metadata = {
    chunkSize: init.chunkSize,
    salt: randomBytes(16).toString('base64'),
    keyCheck: randomBytes(28).toString('base64'),
  };
  const { status, body } = await withRetries(() => client.post('/upload/complete', { ...uploadRef, metadata, parts }));
  expect(status).toBe(200);
  return { id: body.downloadId, limit, stored: Buffer.concat(stored), grants: 0 };
}

/** Requests a grant and, if there is one, fetches, compares and confirms the file. */
async function download(server: ServerProcess, file: Outcome, confirms: boolean): Promise<void> {
  const client = new TestClient(server.url);
  // The first response sets the cookie: a grant whose response is lost must be found again with it.
  await withRetries(() => client.get('/config'));
  const requestGrant = (): Promise<Reply> => withRetries(() => client.get(`/download/${file.id}`));
  const grant = await requestGrant();
  if (grant.status !== 200) return;
  file.grants += 1;
  const got = await withRetries(async () => {
    const response = await fetch((await requestGrant()).body.presignedUrl);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  });
  expect(got.bytes.equals(file.stored)).toBe(true);
  if (confirms) await withRetries(() => client.post(`/download/${file.id}/confirm`));
}

const NAME =
  'a server that is killed repeatedly loses no file, exceeds no download limit and leaves no bytes after the sweep';
test(NAME, { tag: '@long' }, async () => {
  // The server is restarted dozens of times.
  const server = await ServerProcess.start({ SWEEP_SECONDS: '1' });
  const files: Outcome[] = [];
  let started = 0;
  async function runScripts(): Promise<void> {
    while (started < SCRIPTS) {
      started += 1;
      const file = await upload(new TestClient(server.url), randomInt(1, 4));
      files.push(file);
      // Some files are fetched only at the end; for the others more downloads are requested than there are.
      if (randomInt(3) === 0) continue;
      const downloads = Array.from({ length: file.limit + 2 }, (_, n) => download(server, file, n % 3 !== 0));
      await Promise.all(downloads);
    }
  }

  let kills = 0;
  const scripts = Promise.all(Array.from({ length: AT_ONCE }, runScripts)).then(
    () => (started = Number.POSITIVE_INFINITY),
  );
  while (started !== Number.POSITIVE_INFINITY) {
    const enough = responses + randomInt(1, RESPONSES_PER_LIFE);
    const hasLived = () => responses >= enough || started === Number.POSITIVE_INFINITY;
    while (!hasLived()) await Promise.race([scripts, sleep(5)]);
    await server.down('SIGKILL');
    kills += 1;
    await server.up();
  }
  expect(files).toHaveLength(SCRIPTS);
  expect(kills).toBeGreaterThan(IS_LONG ? 5 : 2);

  for (const file of files) {
    if (file.grants === 0) await download(server, file, false);
    expect(file.grants).toBeGreaterThan(0);
    expect(file.grants).toBeLessThanOrEqual(file.limit);
  }

  // Four days later every byte and every reservation must be gone.
  await server.down('SIGTERM');
  const later = await startTestServer({ dataDir: server.dataDir });
  later.wait(4 * 24 * 3_600_000);
  while ((await sweep(later.context, 500)) > 0);
  await reconcile(later.context, { object: '', row: '' }, 10_000);
  expect(await later.context.objects.listKeys('', 10)).toEqual([]);
  expect(await later.context.metadata.tally()).toMatchObject({ storedBytes: 0, openUploads: 0 });
  await later.close();
});
