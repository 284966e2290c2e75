import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { sweep } from '../services/deletion.ts';
import { FILES_PER_ROUND, runSweeper, type SweepObserver } from './sweeper.ts';
import { newUpload } from '../../testing/contracts/metadata-fixture.ts';
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
    delete: (key) => (stuck.has(key) ? Promise.reject(new Error('EIO')) : objects.delete(key)),
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

it('stops at the first file if a store is down', async () => {
  const { objects } = server.context;
  await abandonUploads(5);
  let tries = 0;
  const fail = () => Promise.reject(new Error('the store is down'));
  const abortUpload = () => {
    tries += 1;
    return fail();
  };
  server.context.objects = { ...objects, abortUpload, ping: fail };
  await expect(sweep(server.context, 10)).rejects.toThrowError('the store is down');
  expect(tries).toBe(1);
  server.context.objects = objects;
});

it('forgets all ended rate-limit windows, however many there are', async () => {
  const { metadata, clock } = server.context;
  for (let n = 0; n < 25; n += 1) await metadata.countHit(`key ${n}`, clock.nowMs(), 1000);
  server.wait(1000);
  await sweep(server.context, 10);
  expect(await metadata.forgetHits(clock.nowMs(), 100)).toBe(0);
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
