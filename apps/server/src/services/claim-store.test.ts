import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { claimStore } from './claim-store.ts';

/** Neither is marked; the first has a file. */
let used: TestServer;
let fresh: TestServer;
beforeEach(async () => {
  [used, fresh] = [await startTestServer(), await startTestServer()];
  // As an older version left them.
  for (const { context } of [used, fresh]) await context.objects.writeMark('');
  await new TestClient(used.url).send(new Uint8Array(randomBytes(10)));
});
afterEach(async () => {
  await used.close();
  await fresh.close();
});

const claim = (database: TestServer, store: TestServer, areApart = true) =>
  claimStore({ metadata: database.context.metadata, objects: store.context.objects }, areApart);

it('takes a store that fits, again and again, and keeps it from every other database', async () => {
  for (const server of [used, used, fresh]) expect(await claim(server, server)).toBe('ours');
  expect(await claim(fresh, used)).toBe('of-another-database');
  expect(await claim(used, fresh, false)).toBe('of-another-database');
});

it('refuses an unmarked store whose files are not those of the database, and leaves it unmarked', async () => {
  expect(await claim(fresh, used)).toBe('has-unknown-files');
  expect(await claim(used, fresh)).toBe('has-none-of-our-files');
  expect([await used.context.objects.readMark(), await fresh.context.objects.readMark()]).toEqual([
    undefined,
    undefined,
  ]);
});

it('takes an unmarked folder beside its own database for what it is', async () => {
  expect(await claim(used, used, false)).toBe('ours');
  expect(await claim(used, used)).toBe('ours');
});
