import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { type Cursors, type Findings, reconcile } from './reconcile.ts';
import { removeEach } from '../ports/object-store.ts';

const START: Cursors = { object: '', row: '' };
let server: TestServer;
let client: TestClient;
beforeEach(async () => {
  server = await startTestServer();
  client = new TestClient(server.url);
});
afterEach(() => server.close());

const bytes = () => new Uint8Array(randomBytes(100));
const keysOnDisk = async () => (await server.context.objects.listKeys('', 100)).map(({ key }) => key);

/** Runs more than one full round, page by page: nothing may be found twice. */
async function runRounds(limit: number): Promise<Pick<Findings, 'orphans' | 'lost'>> {
  const sum = { orphans: 0, lost: 0 };
  let cursors = START;
  for (let pages = 0; pages < 10; pages += 1) {
    const found = await reconcile(server.context, cursors, limit);
    sum.orphans += found.orphans;
    sum.lost += found.lost;
    cursors = found.cursors;
  }
  return sum;
}

it('removes objects without a row once they are old enough, and nothing else', async () => {
  const file = await client.send(bytes());
  const { body: upload } = await client.init();
  for (let n = 0; n < 5; n += 1) await server.context.objects.createUpload(randomBytes(16).toString('base64url'));
  expect(await runRounds(3)).toEqual({ orphans: 0, lost: 0 });
  server.wait(3_600_000);
  expect(await runRounds(3)).toEqual({ orphans: 5, lost: 0 });
  expect((await keysOnDisk()).includes(upload.fileKey)).toBe(true);
  expect(await keysOnDisk()).toHaveLength(2);
  expect((await client.get(`/download/info/${file.id}`)).status).toBe(200);
  expect(await runRounds(3)).toEqual({ orphans: 0, lost: 0 });
});

it('removes files whose objects are missing, and keeps the others', async () => {
  const files = [await client.send(bytes()), await client.send(bytes()), await client.send(bytes())];
  const [lostKey = ''] = await keysOnDisk();
  await rm(join(server.folder, 'objects', lostKey.slice(0, 2), lostKey), { recursive: true });
  expect(await runRounds(1)).toEqual({ orphans: 0, lost: 1 });
  const statuses = await Promise.all(files.map(async ({ id }) => (await client.get(`/download/info/${id}`)).status));
  expect(statuses.filter((status) => status === 404)).toHaveLength(1);
});

it('does not count an unmounted disk as lost files, and removes nothing from a store with another owner', async () => {
  const file = await client.send(bytes());
  const disk = join(server.folder, 'objects');
  await rename(disk, `${disk}-elsewhere`);
  await mkdir(disk);
  await expect(reconcile(server.context, START, 10)).rejects.toThrowError('is its disk mounted?');
  expect((await client.get(`/download/info/${file.id}`)).status).toBe(200);

  const { objects } = server.context;
  const createOne = () => objects.createUpload(randomBytes(16).toString('base64url'));
  const refusal = { code: 'SERVICE_UNAVAILABLE', engineCode: 'ENOENT' };
  await expect(createOne()).rejects.toMatchObject(refusal);
  await expect(objects.ping()).rejects.toMatchObject(refusal);
  await objects.writeOwner('another database');
  await createOne();
  server.wait(3_600_000);
  await expect(reconcile(server.context, START, 10)).rejects.toThrowError('is its disk mounted?');
  expect(await keysOnDisk()).toHaveLength(1);

  await rm(disk, { recursive: true });
  await rename(`${disk}-elsewhere`, disk);
  expect(await runRounds(10)).toEqual({ orphans: 0, lost: 0 });
});

it('keeps a file when the store fails', async () => {
  const file = await client.send(bytes());
  const { objects } = server.context;
  const fail = () => Promise.reject(new Error('the store is down'));
  server.context.objects = { ...objects, sizeOf: fail, ping: fail };
  await expect(reconcile(server.context, START, 10)).rejects.toThrowError('the store is down');
  server.context.objects = objects;
  expect((await client.get(`/download/info/${file.id}`)).status).toBe(200);
});

it('continues after objects that cannot be read or removed', async () => {
  const { objects } = server.context;
  const damaged = await client.send(bytes());
  const [damagedKey = ''] = await keysOnDisk();
  const lost = await client.send(bytes());
  await objects.purge((await keysOnDisk()).find((key) => key !== damagedKey) ?? '');
  const strays = [0, 1].map(() => randomBytes(16).toString('base64url'));
  for (const key of strays) await objects.createUpload(key);
  server.wait(3_600_000);
  const unless = <T>(bad: string | undefined, work: (key: string) => Promise<T>) => {
    return async (key: string) => (key === bad ? Promise.reject(new Error('EIO')) : work(key));
  };
  server.context.objects = {
    ...objects,
    sizeOf: unless(damagedKey, objects.sizeOf),
    purgeAll: (keys) => removeEach(keys, unless(strays[0], objects.purge)),
  };
  expect(await reconcile(server.context, START, 10)).toMatchObject({
    orphans: 1,
    lost: 1,
    failures: [{ message: 'EIO' }, { message: 'EIO' }],
  });
  server.context.objects = objects;
  const statusOf = async ({ id }: { id: string }) => (await client.get(`/download/info/${id}`)).status;
  expect([await statusOf(damaged), await statusOf(lost)]).toEqual([200, 404]);
});
