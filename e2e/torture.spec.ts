import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reply, TestClient } from '../apps/server/testing/test-client.ts';
import { startTestServer } from '../apps/server/testing/test-server.ts';
import { reconcile } from '../apps/server/src/services/deletion/reconcile.ts';
import { sweep } from '../apps/server/src/services/deletion/sweep.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const SCRIPTS = 200;
const AT_ONCE = 8;
const CHUNK = 25 * 1024 * 1024;
/** No life of the server ends before one to so many answers: on a slow machine it would do nothing but start. */
const ANSWERS_PER_LIFE = 100;

/** Calls that were answered, over all lives. */
let answers = 0;

interface Outcome {
  id: string;
  limit: number;
  stored: Buffer;
  /** How many clients were ever given a grant. */
  grants: number;
}

/** Goes on through crashes, as a browser's engine does. What the server refuses is an answer like any other. */
async function patiently<T extends { status: number }>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const reply = await attempt().catch(() => undefined);
    if (reply && reply.status < 500) {
      answers += 1;
      return reply;
    }
    await sleep(25);
  }
}

/** One file of one part, or now and then of two, all the way to "complete". */
async function upload(client: TestClient, limit: number): Promise<Outcome> {
  const size = randomInt(40) === 0 ? CHUNK + 1000 : randomInt(1, 200_000);
  const { body: init } = await patiently(() => client.init({ fileSize: size, downloadLimit: limit }));
  const name = { uploadId: init.uploadId, fileKey: init.fileKey };
  const stored: Buffer[] = [];
  const parts: { PartNumber: number; ETag: string | null }[] = [];
  for (let n = 1; n <= init.totalParts; n += 1) {
    const bytes = randomBytes(Math.min(CHUNK, size - (n - 1) * CHUNK) + 28);
    const put = await patiently(() => client.putPart(name, n, new Uint8Array(bytes)));
    stored.push(bytes);
    parts.push({ PartNumber: n, ETag: put.headers.get('etag') });
  }
  const metadata = {
    chunkSize: init.chunkSize,
    salt: randomBytes(16).toString('base64'),
    keyCheck: randomBytes(28).toString('base64'),
  };
  const { status, body } = await patiently(() => client.post('/upload/complete', { ...name, metadata, parts }));
  expect(status).toBe(200);
  return { id: body.downloadId, limit, stored: Buffer.concat(stored), grants: 0 };
}

/** Asks for a grant and, if there is one, fetches, compares and confirms. */
async function download(server: ServerProcess, file: Outcome, confirms: boolean): Promise<void> {
  const client = new TestClient(server.url);
  // The first answer brings the cookie: a grant whose answer is lost must be found again under it.
  await patiently(() => client.get('/config'));
  const ask = (): Promise<Reply> => patiently(() => client.get(`/download/${file.id}`));
  const grant = await ask();
  if (grant.status !== 200) return;
  file.grants += 1;
  const got = await patiently(async () => {
    const response = await fetch((await ask()).body.presignedUrl);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  });
  expect(got.bytes.equals(file.stored)).toBe(true);
  if (confirms) await patiently(() => client.post(`/download/${file.id}/confirm`));
}

test('a server that is killed again and again loses nothing, gives no grant too many and leaves no byte behind', async () => {
  const server = await ServerProcess.start({ SWEEP_SECONDS: '1' });
  const files: Outcome[] = [];
  let started = 0;
  async function runScripts(): Promise<void> {
    while (started < SCRIPTS) {
      started += 1;
      const file = await upload(new TestClient(server.url), randomInt(1, 4));
      files.push(file);
      // Some files wait for the end; of some every download is asked for, and more than there are.
      if (randomInt(3) === 0) continue;
      const asking = Array.from({ length: file.limit + 2 }, (_, n) => download(server, file, n % 3 !== 0));
      await Promise.all(asking);
    }
  }

  let kills = 0;
  const scripts = Promise.all(Array.from({ length: AT_ONCE }, runScripts)).then(
    () => (started = Number.POSITIVE_INFINITY),
  );
  while (started !== Number.POSITIVE_INFINITY) {
    const enough = answers + randomInt(1, ANSWERS_PER_LIFE);
    const hasLived = () => answers >= enough || started === Number.POSITIVE_INFINITY;
    await Promise.race([scripts, sleep(randomInt(100, 1500))]);
    while (!hasLived()) await Promise.race([scripts, sleep(25)]);
    await server.down('SIGKILL');
    kills += 1;
    await server.up();
  }
  expect(files).toHaveLength(SCRIPTS);
  expect(kills).toBeGreaterThan(5);

  for (const file of files) {
    if (file.grants === 0) await download(server, file, false);
    expect(file.grants).toBeGreaterThan(0);
    expect(file.grants).toBeLessThanOrEqual(file.limit);
  }

  // Four days later everything is over: each byte and each reservation must be gone.
  await server.down('SIGTERM');
  const later = await startTestServer({ dataDir: server.dataDir });
  later.wait(4 * 24 * 3_600_000);
  while ((await sweep(later.context, 500)) > 0);
  await reconcile(later.context, { object: '', row: '' }, 10_000);
  expect(await later.context.objects.listKeys('', 10)).toEqual([]);
  expect(await later.context.metadata.uploadingBytes()).toBe(0);
  const everything = { ...later.context.limits, maxStoredBytes: 100_000 };
  later.context.limits = everything;
  expect((await new TestClient(later.url).init({ fileSize: 90_000 })).status).toBe(200);
  await later.close();
});
