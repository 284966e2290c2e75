// Measures how long removing many expired files takes if the store responds late, and how much memory it takes.
// npm run bench:sweep -- <files> <ms of a round trip to the store>
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createPostgresMetadataStore } from '../apps/server/src/adapters/sql/metadata-store.ts';
import { createS3Store } from '../apps/server/src/adapters/s3/s3-store.ts';
import { FILES_PER_ROUND } from '../apps/server/src/jobs/sweeper.ts';
import { sweep } from '../apps/server/src/services/deletion.ts';
import { sharedCeph, sharedPostgres } from '../apps/server/testing/backends.ts';
import { CEPH_KEYS } from '../apps/server/testing/ceph.ts';
import { newCompletion, newUpload, NOW } from '../apps/server/testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../apps/server/testing/no-limits.ts';
import { ensureBackends } from '../scripts/ensure-backends.mjs';

const [FILES = 10_000, ROUND_TRIP_MS = 300] = process.argv.slice(2).map(Number);
const MB = 1024 * 1024;

const missing = ensureBackends();
if (missing !== undefined) throw new Error(missing);
const [postgres, ceph] = await Promise.all([sharedPostgres(), sharedCeph()]);
const endpoint = new URL(ceph.endpoint);
const distance = fork(join(import.meta.dirname, 'far-away.ts'), [endpoint.port], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
process.on('exit', () => distance.kill());
const [farPort] = (await once(distance, 'message')).map(String);
const bucket = await ceph.newBucket();
const where = { bucket, publicEndpoint: undefined, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS };
const near = await createS3Store({ ...where, endpoint: endpoint.href });
endpoint.port = farPort ?? '';
const objects = await createS3Store({ ...where, endpoint: endpoint.href });
const metadata = await createPostgresMetadataStore(await postgres.newDatabase(), {
  connections: 10,
  statementMs: 5000,
});

/** The others have only a row: deleting an object that is missing takes the same requests, and making it takes long. */
const ONE_OBJECT_IN = 20;

async function makeObject(key: string): Promise<void> {
  const uploadId = await near.createUpload(key);
  const part = { key, uploadId, partNumber: 1, offset: 0, length: 10 };
  const url = await near.signPartUrl({ ...part, siteUrl: '', expiresAtMs: Date.now() + 60_000 });
  const sent = await fetch(url, { method: 'PUT', body: new Uint8Array(10) });
  const stored = { partNumber: 1, etag: sent.headers.get('etag') ?? '', length: 10 };
  await near.completeUpload({ key, uploadId }, [stored]);
}

async function makeFile(hasObject: boolean): Promise<void> {
  const upload = newUpload();
  if (hasObject) await makeObject(upload.fileKey);
  await metadata.insertUpload({ ...upload, addressHash: upload.id }, NO_LIMITS);
  await metadata.completeUpload(upload.fileKey, newCompletion({ expiresAtMs: NOW }));
}

let made = 0;
const lane = async () => {
  for (; made < FILES; ) {
    made += 1;
    await makeFile(made % ONE_OBJECT_IN === 0);
  }
};
await Promise.all(Array.from({ length: 16 }, lane));
console.log(`${made} files are stored`);

distance.send(ROUND_TRIP_MS);
const stores = { metadata, objects, clock: { nowMs: () => NOW + 1000 } };
const startMs = performance.now();
let removed = 0;
let rounds = 0;
let mostMs = 0;
let memory = 0;
for (let count = FILES_PER_ROUND; count === FILES_PER_ROUND; rounds += 1) {
  const beganMs = performance.now();
  count = await sweep(stores, FILES_PER_ROUND);
  removed += count;
  mostMs = Math.max(mostMs, performance.now() - beganMs);
  memory = Math.max(memory, process.memoryUsage().rss);
}
const seconds = (performance.now() - startMs) / 1000;
console.log(
  `${removed} files removed in ${seconds.toFixed(1)} s with ${ROUND_TRIP_MS} ms to the store: ${(removed / seconds).toFixed(0)} a second,`,
  `${rounds} rounds of ${(mostMs / 1000).toFixed(1)} s at most, ${(memory / MB).toFixed(0)} MB`,
);
console.log(`${(await near.listKeys('', 10)).length} objects are left`);
await metadata.close();
await ceph.stop();
await postgres.stop();
process.exit();
