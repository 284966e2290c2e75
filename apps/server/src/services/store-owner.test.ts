import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { claimStore } from './store-owner.ts';

/** Neither store has an owner; the first one has a file. */
let used: TestServer;
let fresh: TestServer;
beforeEach(async () => {
  [used, fresh] = [await startTestServer(), await startTestServer()];
  // An older version left the owner file empty.
  for (const { context } of [used, fresh]) await context.objects.writeOwner('');
  await new TestClient(used.url).send(new Uint8Array(randomBytes(10)));
});
afterEach(async () => {
  await used.close();
  await fresh.close();
});

const claim = (database: TestServer, store: TestServer, areSeparate = true) =>
  claimStore({ metadata: database.context.metadata, objects: store.context.objects }, areSeparate);

it('claims a matching store, repeatedly, and refuses every other database', async () => {
  for (const server of [used, used, fresh]) expect(await claim(server, server)).toBe('ours');
  expect(await claim(fresh, used)).toBe('of-another-database');
  expect(await claim(used, fresh, false)).toBe('of-another-database');
});

it('refuses a store without owner whose files are not in the database, and writes no owner', async () => {
  expect(await claim(fresh, used)).toBe('has-unknown-files');
  expect(await claim(used, fresh)).toBe('has-none-of-our-files');
  expect([await used.context.objects.readOwner(), await fresh.context.objects.readOwner()]).toEqual([
    undefined,
    undefined,
  ]);
});

it('claims a folder without owner that is beside its own database', async () => {
  expect(await claim(used, used, false)).toBe('ours');
  expect(await claim(used, used)).toBe('ours');
});
