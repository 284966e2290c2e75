import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ARCHIVE_END_BYTES,
  entryHeader,
  factsOf,
  type FolderEntry,
  type FolderFacts,
  paddingAfter,
} from '@furoshiki/format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../state/folders.ts';
import { findFiles } from './local-files.ts';
import { createReceivedFiles } from './part-file.ts';
import { restoreFolder } from './restore-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-folder-'));
});
afterEach(() => {
  // Tests make folders that only root could remove otherwise.
  execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true });
});

const at = (...names: string[]) => join(folder, ...names);
const write = (name: string, text: string | Buffer = name, mode = 0o644) => {
  mkdirSync(join(at(name), '..'), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
  utimesSync(at(name), 1, 1_700_000_000);
};

/** Everything that there is to know about a folder, except for its name. */
function contentOf(path: string): Record<string, unknown> {
  const all = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    ['.', ...all].map((name) => {
      const facts = lstatSync(join(path, name));
      const { mode, mtimeMs } = facts;
      const shared = { mode: mode & 0o7777, modifiedAt: Math.floor(mtimeMs / 1000) };
      if (facts.isSymbolicLink())
        return [name, { modifiedAt: shared.modifiedAt, target: readlinkSync(join(path, name)) }];
      return [name, facts.isFile() ? { ...shared, text: readFileSync(join(path, name), 'latin1') } : shared];
    }),
  );
}

/** A piece is overwritten by the next one. */
async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}

async function archiveOf(path: string, options = {}) {
  const { files, leftOut } = await findFiles([path], { folders: 'archive', ...options });
  const [file] = files;
  const { folder: facts } = file!;
  if (!facts) throw new Error('this is no folder');
  return { file: file!, facts, leftOut, bytes: await bytesOf(file!.source.read(0, file!.size)) };
}

async function restore(
  bytes: Uint8Array,
  facts: FolderFacts,
  more: { makesLinks?: boolean; platform?: NodeJS.Platform } = {},
) {
  writeFileSync(at('archive'), bytes);
  mkdirSync(at('new'), { mode: 0o700 });
  const leftOut = await restoreFolder({
    archive: at('archive'),
    facts,
    into: at('new'),
    makesLinks: true,
    onProgress: () => {},
    ...more,
  });
  return { leftOut };
}

function fill(): void {
  write('photos/a.txt', 'hello');
  write('photos/empty', '');
  write('photos/.hidden/-rf', 'x', 0o600);
  write('photos/CASE', 'upper');
  write('photos/case', 'lower');
  write('photos/a:b?*', 'not for Windows');
  write('photos/run', '#!/bin/sh\n', 0o755);
  write('photos/read only', 'x', 0o444);
  write(`photos/deep/${'猫'.repeat(80)}/é`, 'deep');
  write('photos/big', Buffer.alloc(700_000, 'big'));
  mkdirSync(at('photos/nothing'));
  symlinkSync('../a.txt', at('photos/deep/up'));
  symlinkSync('missing', at('photos/dangling'));
  for (const link of ['photos/deep/up', 'photos/dangling']) lutimesSync(at(link), 1, 1_600_000_000);
  chmodSync(at('photos/nothing'), 0o555);
  chmodSync(at('photos'), 0o750);
  for (const name of ['photos/nothing', 'photos/deep', 'photos/.hidden', 'photos'])
    utimesSync(at(name), 1, 1_500_000_000);
}

describe('a folder', () => {
  it('comes back as it was: names, contents, times, permissions, links, and what is empty', async () => {
    fill();
    const { bytes, facts, leftOut } = await archiveOf(at('photos'));
    expect(leftOut).toEqual([]);
    expect(facts).toMatchObject({ files: 10, links: 2 });
    expect(await restore(bytes, facts)).toEqual({ leftOut: [] });
    expect(contentOf(at('new'))).toEqual(contentOf(at('photos')));
  });

  it('is an archive that tar extracts to the same', async () => {
    fill();
    const { bytes } = await archiveOf(at('photos'));
    mkdirSync(at('new'));
    execFileSync('tar', ['-xpf', '-', '-C', at('new')], { input: bytes });
    expect(contentOf(at('new/photos'))).toEqual(contentOf(at('photos')));
  });

  it('can be read in any range', async () => {
    fill();
    const { file, bytes } = await archiveOf(at('photos'));
    expect(bytes).toHaveLength(file.size);
    for (const [from, to] of [
      [0, 1],
      [511, 513],
      [700, 702_000],
      [file.size - 1025, file.size],
      [file.size - 3, file.size],
      [5000, file.size - 700],
    ] as const)
      expect((await bytesOf(file.source.read(from, to))).equals(bytes.subarray(from, to))).toBe(true);
  });

  it('is not sent if something in it changes meanwhile', async () => {
    fill();
    const { file } = await archiveOf(at('photos'));
    writeFileSync(at('photos/a.txt'), 'other');
    await expect(bytesOf(file.source.read(0, file.size))).rejects.toThrow('changed');
    expect((await archiveOf(at('photos'))).file.version).not.toBe(file.version);
  });

  it.each<[string, () => void, boolean]>([
    ['a few usual files', () => {}, false],
    ['an empty file', () => write('photos/empty', ''), true],
    ['an empty folder', () => mkdirSync(at('photos/nothing')), true],
    ['a link', () => symlinkSync('a.txt', at('photos/link')), true],
    ['a file that cannot be written', () => chmodSync(at('photos/a.txt'), 0o444), true],
    ['100 files', () => Array.from({ length: 98 }, (_, index) => write(`photos/${index}`)), false],
    ['101 files', () => Array.from({ length: 99 }, (_, index) => write(`photos/${index}`)), true],
  ])('with %s is an archive only if a list would lose something', async (_, change, expected) => {
    write('photos/a.txt');
    write('other.txt');
    change();
    const { files } = await findFiles([at('photos'), at('other.txt')]);
    expect(files.some((file) => file.folder !== undefined)).toBe(expected);
    expect(files.at(-1)?.name).toBe('other.txt');
    expect(files.some(({ name }) => name === 'photos.tar')).toBe(expected);
    expect((await findFiles([at('photos')], { folders: 'list' })).files[0]?.folder).toBeUndefined();
    expect((await findFiles([at('photos')], { folders: 'archive' })).files[0]?.folder).toBeDefined();
  });

  it('without anything to send is not sent', async () => {
    mkdirSync(at('nothing'));
    expect((await findFiles([at('nothing')], { folders: 'archive' })).files).toEqual([]);
  });

  it('is sent without links that lead out, and says so', async () => {
    write('photos/a.txt');
    mkdirSync(at('photos/in'));
    for (const [name, target] of [
      ['absolute', '/etc/passwd'],
      ['above', '../other'],
      ['in/up', '..'],
      ['through', 'in/up/../../other'],
      ['good', './in/../a.txt'],
    ] as const)
      symlinkSync(target, at('photos', name));
    const { leftOut, facts } = await archiveOf(at('photos'));
    expect(leftOut).toEqual(
      ['above', 'absolute', 'through'].map((name) => ({ shown: at('photos', name), reason: 'linkOutside' })),
    );
    expect(facts.links).toBe(2);
    const followed = await archiveOf(at('photos'), { followsLinks: true });
    expect(followed.facts.links).toBe(0);
  });

  it('has names without control characters', async () => {
    write('photos/a\nb');
    write('photos/a\tb');
    const { leftOut, bytes, facts } = await archiveOf(at('photos'));
    expect(leftOut).toMatchObject([{ reason: 'name' }]);
    await restore(bytes, facts);
    expect(readdirSync(at('new'))).toEqual(['a_b']);
  });
});

describe('the folder of a stranger', () => {
  const entry = (kind: FolderEntry['kind'], path: string, more: Partial<FolderEntry> = {}): FolderEntry => ({
    kind,
    path,
    size: 0,
    mode: kind === 'file' ? 0o644 : 0o755,
    modifiedAt: 1_700_000_000,
    target: '',
    ...more,
  });
  const pack = (entries: readonly FolderEntry[]): [Buffer, FolderFacts] => [
    Buffer.concat([
      ...entries.flatMap((one) => [entryHeader(one), new Uint8Array(one.size + paddingAfter(one.size))]),
      new Uint8Array(ARCHIVE_END_BYTES),
    ]),
    factsOf(entries),
  ];

  it.each([['../evil'], ['f/../../evil'], ['/tmp/evil']])('writes nothing outside, such as %s', async (path) => {
    await expect(restore(...pack([entry('folder', 'f'), entry('file', path)]))).rejects.toThrow('FOLDER_INVALID');
    expect(readdirSync(folder).toSorted()).toEqual(['archive', 'new']);
  });

  it('writes nothing through a link', async () => {
    const through = [entry('folder', 'f'), entry('link', 'f/l', { target: '..' }), entry('file', 'f/l/evil')];
    await expect(restore(...pack(through))).rejects.toThrow('FOLDER_INVALID');
    expect(existsSync(at('evil'))).toBe(false);
  });

  it('gets no links that lead out, also by way of others', async () => {
    const targets = { absolute: '/etc/passwd', above: '../x', round: 'in/up/../../x', good: 'in', in: '' };
    const entries = [
      entry('folder', 'f'),
      entry('folder', 'f/in'),
      entry('link', 'f/in/up', { target: '..' }),
      ...Object.entries(targets).flatMap(([name, target]) => (target ? [entry('link', `f/${name}`, { target })] : [])),
    ];
    const { leftOut } = await restore(...pack(entries));
    expect(leftOut.map(({ path, reason }) => [path, reason])).toEqual([
      ['f/absolute', 'linkOutside'],
      ['f/above', 'linkOutside'],
      ['f/round', 'linkOutside'],
    ]);
    expect(readdirSync(at('new')).toSorted()).toEqual(['good', 'in']);
    expect(readlinkSync(at('new/good'))).toBe('in');
  });

  it('gets no links at all if the user does not want them', async () => {
    const { leftOut } = await restore(...pack([entry('folder', 'f'), entry('link', 'f/l', { target: 'x' })]), {
      makesLinks: false,
    });
    expect([leftOut, readdirSync(at('new'))]).toEqual([[{ path: 'f/l', reason: 'link' }], []]);
  });

  it('has no setuid, setgid or sticky bit', async () => {
    const [bytes, facts] = pack([
      entry('folder', 'f'),
      entry('folder', 'f/in'),
      entry('file', 'f/run', { mode: 0o755 }),
    ]);
    for (const start of [0, 512, 1024]) {
      const header = bytes.subarray(start, start + 512);
      header.write('0007777', 100);
      header.fill(' ', 148, 156);
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0`,
        148,
      );
    }
    await restore(bytes, facts);
    const mask = 0o777 & ~process.umask();
    for (const name of ['new', 'new/in', 'new/run']) expect(statSync(at(name)).mode & 0o7777).toBe(mask);
  });

  it('gives others no permission that the user does not give', async () => {
    await restore(...pack([entry('folder', 'f', { mode: 0o777 }), entry('file', 'f/a', { mode: 0o666 })]));
    const mask = ~process.umask();
    expect(statSync(at('new')).mode & 0o777).toBe(0o777 & mask);
    expect(statSync(at('new/a')).mode & 0o777).toBe(0o666 & mask);
  });

  it.each<[NodeJS.Platform, string[]]>([
    ['linux', ['.git', 'A', 'CON', 'a', 'a:b', 'x_y']],
    ['win32', ['.git', 'A', '_CON', 'a (2)', 'a_b', 'x_y']],
    ['darwin', ['.git', 'A', '_CON', 'a (2)', 'a_b', 'x_y']],
  ])('gets names that %s can store', async (platform, expected) => {
    const names = ['.git', 'A', 'a', 'CON', 'a:b', 'x\u202Ey'];
    await restore(...pack([entry('folder', 'f'), ...names.map((name) => entry('file', `f/${name}`))]), { platform });
    expect(readdirSync(at('new')).toSorted()).toEqual(expected);
  });
});

describe('a folder that is received', () => {
  const received = () => {
    const place = { folder: at('in'), checkpoints: at('state'), page: 'a page' };
    return createReceivedFiles({ ...place, force: true }, ['photos']);
  };
  const never = new AbortController().signal;

  async function receiving(bytes: Buffer, folderFacts: FolderFacts) {
    mkdirSync(at('in'), { recursive: true });
    const resumable = { identity: 'one', key: {} as CryptoKey };
    const facts = { fileName: 'photos.tar', fileSize: bytes.length, chunkSize: 512, folder: folderFacts };
    const open = () =>
      received()
        .destinationOf({ id: 'id', resumable, ...facts }, 'photos')
        .open(never);
    const sink = await open();
    await sink.write(new Uint8Array(bytes));
    return { sink, open, file: { resumable } };
  }

  async function photos() {
    write('photos/a.txt', 'hello');
    return archiveOf(at('photos'));
  }

  it('has its name only when it is complete, and is known by a later command', async () => {
    const { bytes, facts } = await photos();
    const { sink, file } = await receiving(bytes, facts);
    expect(readdirSync(at('in'))).toEqual(['photos.part']);
    expect(await received().isSaved(file, 'photos')).toBe(false);
    await sink.finish();
    expect(readdirSync(at('in'))).toEqual(['photos']);
    expect(contentOf(at('in/photos'))).toEqual(contentOf(at('photos')));
    expect(await received().isSaved(file, 'photos')).toBe(true);
    utimesSync(at('in/photos'), 1, 1);
    expect(await received().isSaved(file, 'photos')).toBe(false);
  });

  it('is restored after a process was killed while it restored it, and nothing of that remains', async () => {
    const { bytes, facts } = await photos();
    const { sink, open } = await receiving(bytes, facts);
    await sink.suspend();
    // As the killed process has left it.
    const record = at('state', digestOf(at('in/photos')));
    writeFileSync(
      record,
      JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), scratch: '.furoshiki-abc123' }),
    );
    write('in/.furoshiki-abc123/a.txt', 'hel');
    const again = await open();
    expect([again.startsAt, readdirSync(at('in'))]).toEqual([bytes.length, ['photos.part']]);
    await again.finish();
    expect(contentOf(at('in/photos'))).toEqual(contentOf(at('photos')));
    expect(readdirSync(at('in'))).toEqual(['photos']);
  });

  it('is refused if it is none, and nothing of it remains', async () => {
    const { bytes, facts } = await photos();
    const { sink } = await receiving(bytes, { ...facts, files: 2 });
    await expect(sink.finish()).rejects.toMatchObject({ cause: { text: 'receive.folderInvalid' } });
    await sink.discard();
    expect(readdirSync(at('in'))).toEqual([]);
  });

  it('never replaces one that has appeared meanwhile', async () => {
    const { bytes, facts } = await photos();
    const { sink } = await receiving(bytes, facts);
    write('in/photos/mine.txt');
    await expect(sink.finish()).rejects.toMatchObject({ cause: { text: 'receive.folderExists' } });
    await sink.discard();
    expect([readdirSync(at('in')), readdirSync(at('in/photos'))]).toEqual([['photos'], ['mine.txt']]);
  });
});
