import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { runSweeper } from './sweeper.ts';

let server: TestServer;
let stopping: AbortController;
beforeEach(async () => {
  server = await startTestServer();
  stopping = new AbortController();
});
afterEach(() => server.close());

const objects = async () => (await server.context.objects.listKeys('', 10)).length;
const { log } = Fastify();

it('clears away what runs out, round after round, until it is told to stop', async () => {
  const client = new TestClient(server.url);
  await client.send(new Uint8Array(randomBytes(10)));
  const sweeping = runSweeper(server.context, log, 5, stopping.signal);
  server.wait(24 * 3_600_000);
  await expect.poll(objects).toBe(0);
  await client.renewToken();
  await client.send(new Uint8Array(randomBytes(10)));
  server.wait(24 * 3_600_000);
  await expect.poll(objects).toBe(0);
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

it('stops at once where it waits', async () => {
  const sweeping = runSweeper(server.context, log, 3_600_000, stopping.signal);
  stopping.abort();
  await sweeping;
});
