import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { full, unavailable } from '../ports/store-failures.ts';
import { factsOf, findOwnership, renewEpoch } from './store-ownership.ts';

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

const ownership = async (database: TestServer | undefined, store: TestServer, areSeparate = true) =>
  findOwnership(database && (await factsOf(database.context.metadata)), store.context.objects, areSeparate);
const ownerOf = ({ context }: TestServer) => context.objects.readOwner();

it('recognises the store of a database, and refuses it to every other database and to a new one', async () => {
  for (const { context } of [used, fresh]) await context.objects.writeOwner(await context.metadata.databaseId());
  for (const server of [used, fresh]) expect(await ownership(server, server)).toBe('ours');
  expect(await ownership(fresh, used)).toBe('of-another-database');
  expect(await ownership(used, fresh, false)).toBe('of-another-database');
  expect(await ownership(undefined, used, false)).toBe('of-another-database');
});

it('refuses a store without owner whose files are not in the database', async () => {
  expect(await ownership(fresh, used)).toBe('has-unknown-files');
  expect(await ownership(undefined, used)).toBe('has-unknown-files');
  expect(await ownership(used, fresh)).toBe('has-none-of-our-files');
});

it('finds a store without owner free if it has the files of the database, or is beside it, and writes nothing', async () => {
  expect([await ownership(used, used), await ownership(used, used, false)]).toEqual(['free', 'free']);
  expect([await ownership(fresh, fresh), await ownership(undefined, fresh)]).toEqual(['free', 'free']);
  expect([await ownerOf(used), await ownerOf(fresh)]).toEqual([undefined, undefined]);
});

it('leaves an epoch in the store, unless it is full, and recognises one that the database does not know', async () => {
  const { context } = used;
  await context.objects.writeOwner(await context.metadata.databaseId());
  await renewEpoch(context);
  const epoch = await context.objects.readEpoch();
  const fullStore = { ...context.objects, writeEpoch: () => Promise.reject(full('ENOSPC')) };
  await renewEpoch({ ...context, objects: fullStore });
  expect(await context.objects.readEpoch()).toBe(epoch);
  expect(await ownership(used, used)).toBe('ours');
  const away = { ...context.objects, writeEpoch: () => Promise.reject(unavailable('EIO')) };
  await expect(renewEpoch({ ...context, objects: away })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await context.objects.writeEpoch('of a newer state');
  expect([await ownership(used, used), await ownership(used, used, false)]).toEqual(['of-a-newer-state', 'ours']);
  await expect(renewEpoch(context)).rejects.toThrowError('a newer state of this database');
});
