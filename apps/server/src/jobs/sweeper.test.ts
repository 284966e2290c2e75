import { randomBytes } from 'node:crypto';
import { Failure } from '@furoshiki/api';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { sweep } from '../services/deletion.ts';
import { LANES } from '../lanes.ts';
import { FILES_PER_ROUND, runSweeper, type SweepObserver } from './sweeper.ts';
import { newCompletion, newUpload } from '../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../testing/no-limits.ts';

let server: TestServer;
let stopping: AbortController;
beforeEach(async () => {
  server = await startTestServer();
  stopping = new AbortController();
});
afterEach(() => server.close());

const objects = async () => (await server.context.objects.listKeys('', 10)).length;
const { log } = Fastify();

it('removes expired files, round after round, until it is stopped', async () => {
  const client = new TestClient(server.url);
  for (const retentionPeriod of [1, 2]) await client.send(new Uint8Array(randomBytes(10)), { retentionPeriod });
  expect(await objects()).toBe(2);
  const sweeping = runSweeper(server.context, log, 5, stopping.signal);
  for (const remaining of [1, 0]) {
    server.wait(24 * 3_600_000);
    await expect.poll(objects).toBe(remaining);
  }
  stopping.abort();
  await sweeping;
});

it('skips one round after the clock has jumped ahead, so that open uploads survive if it jumps back', async () => {
  await new TestClient(server.url).init();
  const logged = Promise.withResolvers<void>();
  const jumpBack = () => {
    server.wait(-3_600_000);
    logged.resolve();
  };
  const observedLog = { ...log, error: log.error, warn: jumpBack } as unknown as typeof log;
  let rounds = 0;
  const observer = { swept: () => void (rounds += 1), failed: () => undefined };
  const sweeping = runSweeper(server.context, observedLog, 5, stopping.signal, observer);
  await expect.poll(() => rounds).toBeGreaterThan(0);
  server.wait(3_600_000);
  await logged.promise;
  const before = rounds;
  await expect.poll(() => rounds).toBeGreaterThan(before + 1);
  expect(await server.context.metadata.tally()).toMatchObject({ openUploads: 1 });
  stopping.abort();
  await sweeping;
});

it('survives a round that fails', async () => {
  const { metadata } = server.context;
  let rounds = 0;
  const doomOverdue = () => {
    rounds += 1;
    return Promise.reject(new Error('the database is away'));
  };
  server.context.metadata = { ...metadata, doomOverdue };
  const sweeping = runSweeper(server.context, log, 5, stopping.signal);
  await expect.poll(() => rounds).toBeGreaterThan(2);
  stopping.abort();
  await sweeping;
  server.context.metadata = metadata;
});

/** Inserts uploads without bytes: removing them works the same. */
async function abandonUploads(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const id = `upload ${n}`;
    const upload = newUpload({ id, fileKey: id, uploadId: id, storedSize: 1, expiresAtMs: 0 });
    await server.context.metadata.insertUpload(upload, NO_LIMITS);
  }
}

it('continues after files that cannot be removed, without a pause while there is more to do, and still reconciles', async () => {
  const { objects, metadata } = server.context;
  await abandonUploads(FILES_PER_ROUND + 50);
  const stuck = new Set(['upload 0', 'upload 100', 'upload 200']);
  server.context.objects = {
    ...objects,
    deleteAll: async (keys) => {
      const error = new Error('EIO');
      const kept = keys.filter((key) => stuck.has(key)).map((key) => ({ key, error }));
      return [...kept, ...(await objects.deleteAll(keys.filter((key) => !stuck.has(key))))];
    },
  };
  await objects.createUpload(randomBytes(16).toString('base64url'));
  server.wait(3_600_000);
  let swept = 0;
  const observer = { swept: (files: number) => void (swept += files), failed: () => undefined };
  const sweeping = runSweeper(server.context, log, 3_600_000, stopping.signal, observer);
  await expect.poll(() => metadata.tally()).toMatchObject({ openUploads: 0, doomedFiles: stuck.size });
  await expect.poll(async () => objects.listKeys('', 10)).toEqual([]);
  stopping.abort();
  await sweeping;
  expect(swept).toBe(FILES_PER_ROUND + 50 - stuck.size);

  server.context.objects = objects;
  server.wait(60_000);
  expect(await sweep(server.context, 10)).toBe(stuck.size);
});

it('begins no other file if a store is down', async () => {
  const { objects } = server.context;
  await abandonUploads(LANES + 50);
  let tries = 0;
  const fail = () => Promise.reject(new Error('the store is down'));
  const abortUpload = () => {
    tries += 1;
    return fail();
  };
  server.context.objects = { ...objects, abortUpload, ping: fail };
  await expect(sweep(server.context, 1000)).rejects.toThrowError('the store is down');
  expect(tries).toBe(LANES);
  server.context.objects = objects;
});

it('lets requests run between its statements, and changes few files in each of them', async () => {
  const { metadata } = server.context;
  await abandonUploads(150);
  let turn = 0;
  let isRunning = true;
  const countTurns = () => {
    turn += 1;
    if (isRunning) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const steps: { turn: number; limit: number }[] = [];
  server.context.metadata = {
    ...metadata,
    doomOverdue(nowMs, limit) {
      steps.push({ turn, limit });
      return metadata.doomOverdue(nowMs, limit);
    },
    claimDoomed(nowMs, leaseMs, limit) {
      steps.push({ turn, limit });
      return metadata.claimDoomed(nowMs, leaseMs, limit);
    },
  };
  expect(await sweep(server.context, 140)).toBe(140);
  isRunning = false;
  server.context.metadata = metadata;
  expect(steps.map(({ limit }) => limit)).toEqual([64, 64, 12, 64, 64, 12]);
  expect(new Set(steps.map((step) => step.turn)).size).toBe(steps.length);
});

it('forgets all ended rate-limit windows, however many there are', async () => {
  const { metadata, clock } = server.context;
  for (let n = 0; n < 25; n += 1) await metadata.countHit(`key ${n}`, clock.nowMs(), 1000);
  server.wait(1000);
  await sweep(server.context, 10);
  expect(await metadata.forgetHits(clock.nowMs(), 100)).toBe(0);
});

it('removes many files while each waits for a distant store, and reconciles meanwhile', async () => {
  const { objects, metadata } = server.context;
  await abandonUploads(LANES);
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  let waiting = 0;
  server.context.objects = {
    ...objects,
    async abortUpload(upload) {
      waiting += 1;
      await isAnswered;
      return objects.abortUpload(upload);
    },
  };
  await objects.createUpload(randomBytes(16).toString('base64url'));
  server.wait(3_600_000);
  const sweeping = runSweeper(server.context, log, 3_600_000, stopping.signal);
  await expect.poll(() => waiting).toBe(LANES);
  await expect.poll(() => objects.listKeys('', 10)).toEqual([]);
  answer();
  await expect.poll(() => metadata.tally()).toMatchObject({ openUploads: 0, doomedFiles: 0 });
  stopping.abort();
  await sweeping;
  server.context.objects = objects;
});

it('removes the bytes of all files of a round with one call', async () => {
  const { objects } = server.context;
  const client = new TestClient(server.url);
  for (let count = 0; count < 3; count += 1) await client.send(new Uint8Array(randomBytes(10)));
  await client.init();
  const calls: string[] = [];
  server.context.objects = {
    ...objects,
    abortUpload(upload) {
      calls.push('abort');
      return objects.abortUpload(upload);
    },
    deleteAll(keys) {
      calls.push(`delete ${keys.length}`);
      return objects.deleteAll(keys);
    },
  };
  server.wait(4 * 24 * 3_600_000);
  expect(await sweep(server.context, 100)).toBe(4);
  server.context.objects = objects;
  expect(calls).toEqual(['abort', 'delete 4']);
  expect(await objects.listKeys('', 10)).toEqual([]);
});

it('reports how many files have lost their bytes', async () => {
  const { objects, metadata } = server.context;
  await metadata.insertUpload(newUpload({ id: 'lost', fileKey: 'lost', expiresAtMs: 1e15 }), NO_LIMITS);
  await metadata.completeUpload('lost', newCompletion({ expiresAtMs: 1e15 }));
  server.context.objects = { ...objects, sizeOf: () => Promise.reject(new Failure('NOT_FOUND')) };
  let lost = 0;
  const observer = { swept: () => undefined, failed: () => undefined, lost: (files: number) => void (lost += files) };
  const sweeping = runSweeper(server.context, log, 3_600_000, stopping.signal, observer);
  await expect.poll(() => lost).toBe(1);
  stopping.abort();
  await sweeping;
  server.context.objects = objects;
});

it('stops at once while it waits', async () => {
  const swept = vi.fn<SweepObserver['swept']>();
  const observer = { swept, failed: () => expect.unreachable() };
  const sweeping = runSweeper(server.context, log, 3_600_000, stopping.signal, observer);
  await vi.waitFor(() => expect(swept).toHaveBeenCalled());
  stopping.abort();
  await sweeping;
  expect(swept).toHaveBeenCalledTimes(1);
});

it('forgets messages and reports that nobody has read for 180 days', async () => {
  const client = new TestClient(server.url);
  const { metadata } = server.context;
  await client.post('/contact', { name: 'A', email: 'a@example.org', message: 'B' });
  const { pageID } = await client.send(new Uint8Array(randomBytes(10)));
  expect((await client.post('/report', { pageID, reason: 'C' })).status).toBe(200);
  const kept = async () => [(await metadata.listMessages(10)).length, (await metadata.listReports(10)).length];
  server.wait(180 * 86_400_000 - 60_000);
  await sweep(server.context, 10);
  expect(await kept()).toEqual([1, 1]);
  server.wait(120_000);
  await sweep(server.context, 10);
  expect(await kept()).toEqual([0, 0]);
});
