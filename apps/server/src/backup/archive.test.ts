// A restore refuses everything that is not exactly what a backup wrote, and leaves a folder that no server would start on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createTarDecoder, packTar, type TarHeader } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backUp, freshScratch, keysOnDisk, restoreTo, rowsOf } from '../../testing/backups.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { dataPaths, tryToLock } from '../config/data-folder.ts';
import { writeArchive } from './archive.ts';

const IS_LONG = process.env['LONG_TESTS'] !== undefined;
const FLIPS = IS_LONG ? 2000 : 60;
const scratch = freshScratch();

interface Entry {
  header: TarHeader;
  body: Uint8Array<ArrayBuffer>;
}

let good: Buffer<ArrayBuffer>;
let entries: Entry[];
let files: unknown[];
beforeAll(async () => {
  const server = await createTestServer();
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-archive-'));
  const client = new TestClient(server);
  for (const length of [1, 700, 2000]) await client.send(new Uint8Array(randomBytes(length)));
  await backUp(server.folder, join(folder, 'a.tar'));
  good = await readFile(join(folder, 'a.tar'));
  entries = await entriesIn(join(folder, 'a.tar'));
  await server.stop();
  files = rowsOf(server.folder, 'files');
  await server.close();
  await rm(folder, { recursive: true });
});
afterAll(() => {
  good = Buffer.alloc(0);
});

async function entriesIn(file: string): Promise<Entry[]> {
  const found: Entry[] = [];
  const decoded = ReadableStream.from(createReadStream(file)).pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of decoded)
    found.push({ header, body: new Uint8Array(await new Response(body).arrayBuffer()) });
  return found;
}

const nameOf = ({ header }: Entry) => header.name;
const entry = (name: string, text: string | Uint8Array = '', header: Partial<TarHeader> = {}): Entry => {
  const body = new Uint8Array(Buffer.from(text as string));
  return { header: { name, size: body.length, ...header }, body };
};

/** An archive of these entries whose sums are right. */
async function withSums(kept: Entry[]): Promise<Buffer> {
  const lines = kept.map(({ header, body }) => `${createHash('sha256').update(body).digest('hex')}  ${header.name}\n`);
  return Buffer.from(await packTar([...kept, entry('SHA256SUMS', lines.join(''))]));
}

const content = () => entries.filter((one) => nameOf(one) !== 'SHA256SUMS');
const without = (...names: RegExp[]) => content().filter((one) => !names.some((name) => name.test(nameOf(one))));
const replaced = (name: string, text: string) =>
  content().map((one) => (nameOf(one) === name ? entry(name, text) : one));
/** A page that SQLite does not need in order to open the file. */
const withDamagedPage = () =>
  content().map((one) => {
    if (nameOf(one) !== 'furoshiki.db') return one;
    return { ...one, body: one.body.slice().fill(255, 6 * 4096, 7 * 4096) };
  });
const headerOf = (change: object) =>
  JSON.stringify({ format: 1, version: '9.9.9', createdAt: new Date(0).toISOString(), schema: [], ...change });
const changed = (position: number) => {
  const copy = Buffer.from(good);
  copy[position] = (copy[position] ?? 0) ^ 1;
  return copy;
};
/** Where the content of an entry begins. */
function offsetOf(name: string): number {
  const found = good.indexOf(`${name}\0`);
  if (found % 512 !== 0) throw new Error('not a header');
  return found + 512;
}

async function restoreBytes(bytes: Uint8Array): Promise<void> {
  await rm(scratch('a.tar'), { force: true });
  await writeFile(scratch('a.tar'), bytes);
  await restoreTo(scratch('data'), scratch('a.tar'));
}

/** Nothing but the empty lock, and perhaps the empty folder for objects. */
async function expectUntouched(): Promise<void> {
  const names = existsSync(scratch('data')) ? await readdir(scratch('data'), { recursive: true }) : [];
  expect(names.filter((name) => name !== 'furoshiki.lock' && name !== 'objects')).toEqual([]);
}

describe('is refused', () => {
  it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), /no backup of Furoshiki/u],
    ['a file that is no tar', () => randomBytes(5000), /cut off or damaged, or no backup/u],
    ['another tar', async () => Buffer.from(await packTar([entry('notes.txt', 'hello')])), /no backup of Furoshiki/u],
    ['an empty tar', async () => Buffer.from(await packTar([])), /no backup of Furoshiki/u],
    ['a header that is no JSON', () => withSums(replaced('furoshiki-backup.json', 'hello')), /no backup of Furoshiki/u],
    [
      'a newer format',
      () => withSums(replaced('furoshiki-backup.json', headerOf({ format: 2 }))),
      /newer version, 9\.9\.9/u,
    ],
    [
      'a newer database',
      () => withSums(replaced('furoshiki-backup.json', headerOf({ schema: ['999-later'] }))),
      /newer version, 9\.9\.9: restore it with that version/u,
    ],
    ['the first half', () => good.subarray(0, good.length / 2), /cut off/u],
    ['without its last byte of content', () => good.subarray(0, offsetOf('SHA256SUMS')), /cut off/u],
    ['without its sums', async () => Buffer.from(await packTar(content())), /it is cut off/u],
    ['a changed byte of a file', () => changed(offsetOf('objects/.furoshiki') + 3), /changed after it was written/u],
    ['a changed byte of the database', () => changed(offsetOf('furoshiki.db') + 5000), /changed after it was written/u],
    ['a changed secret', () => changed(offsetOf('secret')), /changed after it was written/u],
    ['a changed sum', () => changed(offsetOf('SHA256SUMS')), /changed after it was written/u],
    ['a changed name', () => changed(offsetOf('secret') - 512), /damaged/u],
    [
      'other sums',
      () => withSums(content()).then((bytes) => Buffer.concat([bytes.subarray(0, -1024), good])),
      /more than/u,
    ],
    ['a file twice', () => withSums([...content(), ...content().slice(-1)]), /a file twice/u],
    ['a part of an object twice', () => withSums([...content(), ...content().slice(2, 3)]), /a file twice/u],
    ['a file that no database lists', () => withSums([...content(), ...object('u'.repeat(22))]), /does not list/u],
    ['without the bytes of a file', () => withSums(without(/\/data$/u)), /lacks bytes of a file/u],
    ['without the journal of a file', () => withSums(without(/\/parts$/u)), /lacks bytes of a file/u],
    ['without a database', () => withSums(without(/db$/u)), /database is damaged or missing/u],
    ['with a damaged database', () => withSums(replaced('furoshiki.db', 'x'.repeat(9000))), /database is damaged/u],
    ['with a database that was damaged before', () => withSums(withDamagedPage()), /database is damaged/u],
    [
      'with the owner of other files',
      () => withSums(replaced('objects/.furoshiki', 'x')),
      /belong to another database/u,
    ],
    ['without an owner', () => withSums(without(/\.furoshiki$/u)), /belong to another database/u],
    ...[
      '../secret',
      '/etc/furoshiki',
      'objects/../../secret',
      'objects/aa/../bb',
      `objects/aa/${'b'.repeat(22)}/data`,
      `objects/aa/${'a'.repeat(22)}/other`,
      `objects/aa/${'a'.repeat(22)}/data/more`,
      'furoshiki.db-wal',
      './secret',
    ].map((name): [string, () => Promise<Buffer>, RegExp] => [
      `the path ${name}`,
      () => withSums([...content(), entry(name, 'x')]),
      /a file that no backup has/u,
    ]),
    ...(['symlink', 'link', 'directory', 'fifo'] as const).map((type): [string, () => Promise<Buffer>, RegExp] => [
      `a ${type}`,
      () => withSums([...content(), entry('objects/zz', '', { type, linkname: '/etc' })]),
      /a link or a folder/u,
    ]),
  ])('%s', async (_, make, reason) => {
    await expect(restoreBytes(await make())).rejects.toThrowError(reason);
    await expectUntouched();
  });

  it('if it cannot be read', async () => {
    await expect(restoreTo(scratch('data'), scratch('none'))).rejects.toThrowError('it cannot be read (ENOENT)');
    await mkdir(scratch('folder'));
    await expect(restoreTo(scratch('data'), scratch('folder'))).rejects.toThrowError('it cannot be read (EISDIR)');
    await expectUntouched();
  });

  it('wherever a byte has changed, or it changes nothing; and the archive itself is then restored into the same folder', async () => {
    for (let n = 0; n < FLIPS; n += 1) {
      const position = randomInt(good.length);
      const result = await restoreBytes(changed(position)).then(
        () => rowsOf(scratch('data'), 'files'),
        (error: Error) => error.message,
      );
      // Only the padding between the entries has no sum.
      const isRefused = typeof result === 'string' && /was not restored: it (?:is|was|has) /u.test(result);
      expect(isRefused ? files : result, `byte ${position}`).toEqual(files);
      await (isRefused ? expectUntouched() : rm(scratch('data'), { recursive: true }));
    }
    await restoreBytes(good);
    expect(rowsOf(scratch('data'), 'files')).toEqual(files);
    expect(await keysOnDisk(scratch('data'))).toHaveLength(3);
  });
});

const object = (key: string) => [
  entry(`objects/${key.slice(0, 2)}/${key}/data`, 'x'),
  entry(`objects/${key.slice(0, 2)}/${key}/parts`, '{"sealed":true}'),
];

describe('the folder of a restore', () => {
  it('must be empty, but may have a disk of its own for the objects', async () => {
    await mkdir(join(scratch('data'), 'objects', 'lost+found'), { recursive: true });
    await mkdir(join(scratch('data'), 'lost+found'));
    await writeFile(join(scratch('data'), 'notes.txt'), 'mine');
    await expect(restoreBytes(good)).rejects.toThrowError('is not empty: move what is in it away');
    expect((await readdir(scratch('data'))).toSorted()).toEqual(['lost+found', 'notes.txt', 'objects']);
    await rm(join(scratch('data'), 'notes.txt'));
    await restoreBytes(good);
    expect((await readdir(scratch('data'))).toSorted()).toEqual([
      'furoshiki.db',
      'furoshiki.lock',
      'lost+found',
      'objects',
      'secret',
    ]);
    expect(await readdir(join(scratch('data'), 'objects'))).toContain('lost+found');
    await expect(restoreBytes(good)).rejects.toThrowError('is not empty');
  });

  it('must not be in use', async () => {
    await mkdir(scratch('data'));
    const held = tryToLock(dataPaths(scratch('data')).lock);
    await expect(restoreBytes(good)).rejects.toThrowError('a server uses DATA_DIR');
    held?.release();
    await restoreBytes(good);
  });
});

it('holds files of any size without keeping them in memory', { timeout: 300_000 }, async () => {
  // The size field of a plain tar ends at 8 GB.
  const size = IS_LONG ? 9 * 1024 ** 3 : 40 * 1024 ** 2;
  const block = Buffer.alloc(1024 ** 2, 7);
  function* blocks() {
    for (let sent = 0; sent < size; sent += block.length) yield block;
  }
  const tar = spawn('tar', ['--list', '--verbose', '--file=-']);
  let listed = '';
  tar.stdout.on('data', (text) => (listed += text));
  const closed = once(tar, 'close');
  const header = { version: '1', createdAt: new Date(0).toISOString(), schema: [] };
  const write = (archive: AsyncIterable<Uint8Array>) => pipeline(archive, tar.stdin);
  await writeArchive(header, scratch('sums'), write, (add) => add('objects/large', size, blocks()));
  expect((await closed)[0]).toBe(0);
  expect(listed).toMatch(new RegExp(String.raw`^-rw-------\s+0/0\s+${size} .* objects/large$`, 'mu'));
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(200 * 1024 ** 2);
});
