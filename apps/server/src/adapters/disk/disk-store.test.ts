import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantRead } from '../../../testing/grant-read.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { describeObjectStore } from '../../../testing/contracts/object-store.contract.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { createSigner } from '../../signing.ts';
import { createDiskStore } from './disk-store.ts';

describeObjectStore('disk', async () => {
  const { context, url, close } = await startTestServer();
  return { store: context.objects, siteUrl: url, grantRead: (key) => grantRead(context, key), discard: close };
});

let root: string;
let store: ServedStore;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'furoshiki-disk-'));
  store = createDiskStore(root, createSigner(randomBytes(32)));
  await store.writeOwner('ours');
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
const linesOf = async (key: string) =>
  (await readFile(journalOf(key), 'utf8')).split('\n').filter((line) => line !== '').length;

it('withdraws a stored part before it is overwritten, so that an interrupted retry is never mistaken for the first part', async () => {
  const upload = await anUpload();
  await write(upload.part, randomBytes(100));
  await expect(write(upload.part, randomBytes(50))).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  expect(await store.listParts(upload)).toEqual([]);
});

it('replaces a hanging connection when the part is sent again', async () => {
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

it('reads a journal whose last line was cut off by a crash, and appends to it', async () => {
  const upload = await anUpload();
  const one = await write(upload.part, randomBytes(100));
  await appendFile(journalOf(upload.key), '\n{"part":{"partNumber":2,"et');
  expect((await store.listParts(upload)).map(({ partNumber }) => partNumber)).toEqual([1]);
  const two = await write({ ...upload.part, partNumber: 2, offset: 100 }, randomBytes(100));
  expect((await store.listParts(upload)).map(({ etag }) => etag)).toEqual([one, two]);
});

it('keeps the journal short when a part is sent many times', async () => {
  const upload = await anUpload();
  // The file that a crash in the middle of a rewrite leaves behind.
  await writeFile(`${journalOf(upload.key)}.new`, '\n{"part":{"partNumber":9,"et');
  let etag = '';
  for (let times = 0; times < 120; times += 1) etag = await write(upload.part, randomBytes(100));
  expect(await linesOf(upload.key)).toBeLessThan(120);
  expect(await store.listParts(upload)).toEqual([{ partNumber: 1, etag, length: 100 }]);
});

it('keeps parts that are stored while the journal is rewritten', async () => {
  const upload = await anUpload();
  await write(upload.part, randomBytes(100));
  const numbers = Array.from({ length: 100 }, (_, n) => n + 2);
  for (let first = 0; first < numbers.length; first += 10) {
    // As if part 0 had been sent many times.
    await appendFile(journalOf(upload.key), '\n{"overwriting":0}\n'.repeat(400));
    // Part 1 comes last, so that its rewrite runs between the lines of the other parts.
    const sent = [...numbers.slice(first, first + 10), 1];
    await Promise.all(sent.map((partNumber) => write({ ...upload.part, partNumber }, randomBytes(100))));
  }
  const parts = await store.listParts(upload);
  expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, ...numbers]);
  expect(await linesOf(upload.key)).toBeLessThan(400);
  await store.completeUpload(upload, parts);
});

it('lists only keys, whatever else is in the folder, and returns NOT_FOUND for a file without data', async () => {
  const { key, uploadId, part } = await anUpload();
  const etag = await write(part, randomBytes(100));
  await store.completeUpload({ key, uploadId }, [{ partNumber: 1, etag, length: 100 }]);
  const start = key.slice(0, 2);
  const before = await store.listKeys('', 1000);
  for (const odd of [join('lost+found', key), join(start, key.slice(0, 10))])
    await mkdir(join(root, odd), { recursive: true });
  expect(await store.listKeys('', 1000)).toEqual(before);
  await rm(join(root, start, key, 'data'));
  await expect(store.sizeOf(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('fills a page of keys even if a listed key has disappeared', async () => {
  for (let n = 0; n < 3; n += 1) await anUpload();
  const before = await store.listKeys('', 1000);
  // A key in a folder with another prefix: it is listed there, and missing in its own folder.
  await mkdir(join(root, before[0]?.key.slice(0, 2) ?? '', 'z'.repeat(22)));
  expect(await store.listKeys('', before.length)).toEqual(before);
});

it('fails its ping when its folder is missing', async () => {
  const missing = createDiskStore(join(root, 'missing'), createSigner(randomBytes(32)));
  await expect(missing.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', engineCode: 'ENOENT' });
});

it('reports a full disk as QUOTA_EXCEEDED, and stores the part once there is room', async () => {
  const upload = await anUpload();
  const data = join(root, upload.key.slice(0, 2), upload.key, 'data');
  await rm(data);
  await symlink('/dev/full', data);
  await expect(write(upload.part, randomBytes(100))).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    engineCode: 'ENOSPC',
  });
  await rm(data);
  await writeFile(data, '');
  await write(upload.part, randomBytes(100));
});

it('reports a file that cannot be read as SERVICE_UNAVAILABLE', async () => {
  const { key, part } = await anUpload();
  await write(part, randomBytes(100));
  const data = join(root, key.slice(0, 2), key, 'data');
  await rm(data);
  // Reading a process's memory at address 0 is an I/O error.
  await symlink('/proc/self/mem', data);
  const reading = buffer(store.read(key, 0, 100));
  await expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', engineCode: 'EIO' });
});

it('accepts a part after a refused one, and none after the object was deleted', async () => {
  const upload = await anUpload();
  await expect(write(upload.part, randomBytes(101))).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
  await write(upload.part, randomBytes(100));
  await store.delete(upload.key);
  await expect(write(upload.part, randomBytes(100))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
