import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer } from '../../../testing/test-server.ts';
import { describeObjectStore } from '../../contracts/object-store.contract.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { createSigner } from '../../signing.ts';
import { createDiskStore } from './disk-store.ts';

describeObjectStore('disk', async () => {
  const server = await startTestServer();
  return { store: server.context.objects, siteUrl: server.url, discard: server.close };
});

let root: string;
let store: ServedStore;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'furoshiki-disk-'));
  store = createDiskStore(root, createSigner(randomBytes(32)));
});
afterAll(() => rm(root, { recursive: true }));

async function anUpload() {
  const key = randomBytes(16).toString('base64url');
  const uploadId = await store.createUpload(key);
  return { key, uploadId, part: { key, uploadId, partNumber: 1, offset: 0, length: 100 } };
}

const write = (part: Parameters<ServedStore['writePart']>[0], bytes: Buffer) =>
  store.writePart(part, Readable.from([bytes]));
const journalOf = (key: string) => join(root, key.slice(0, 2), key, 'parts');

it('withdraws a stored part before it is overwritten, so that a cut second try is never taken for the first', async () => {
  const upload = await anUpload();
  await write(upload.part, randomBytes(100));
  await expect(write(upload.part, randomBytes(50))).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  expect(await store.listParts(upload)).toEqual([]);
});

it('lets a part that is sent again take over from a connection that hangs', async () => {
  const upload = await anUpload();
  const hanging = new PassThrough();
  const first = store.writePart(upload.part, hanging);
  first.catch(() => undefined);
  hanging.write(randomBytes(60));
  await setImmediate();
  const bytes = randomBytes(100);
  const etag = await write(upload.part, bytes);
  await expect(first).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  await store.completeUpload(upload, [{ partNumber: 1, etag, length: 100 }]);
  expect(await readFile(join(root, upload.key.slice(0, 2), upload.key, 'data'))).toEqual(bytes);
});

it('does not complete an upload while one of its parts is being written', async () => {
  const upload = await anUpload();
  const etag = await write(upload.part, randomBytes(100));
  const hanging = new PassThrough();
  const writing = store.writePart({ ...upload.part, partNumber: 2, offset: 100 }, hanging);
  hanging.write('x');
  await setImmediate();
  const parts = [{ partNumber: 1, etag, length: 100 }];
  await expect(store.completeUpload(upload, parts)).rejects.toMatchObject({ code: 'PART_MISMATCH' });
  hanging.destroy();
  await expect(writing).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  await store.completeUpload(upload, parts);
});

it('reads a journal whose last line was torn by a crash, and goes on writing to it', async () => {
  const upload = await anUpload();
  const one = await write(upload.part, randomBytes(100));
  await appendFile(journalOf(upload.key), '\n{"part":{"partNumber":2,"et');
  expect((await store.listParts(upload)).map(({ partNumber }) => partNumber)).toEqual([1]);
  const two = await write({ ...upload.part, partNumber: 2, offset: 100 }, randomBytes(100));
  expect((await store.listParts(upload)).map(({ etag }) => etag)).toEqual([one, two]);
});

it('says when its folder is gone', async () => {
  const missing = createDiskStore(join(root, 'missing'), createSigner(randomBytes(32)));
  await expect(missing.ping()).rejects.toMatchObject({ code: 'ENOENT' });
});

it('takes a part after one that was refused, and none after the object is gone', async () => {
  const upload = await anUpload();
  await expect(write(upload.part, randomBytes(101))).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  await write(upload.part, randomBytes(100));
  await store.delete(upload.key);
  await expect(write(upload.part, randomBytes(100))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
