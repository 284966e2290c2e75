import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
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
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { webcrypto } from 'node:crypto';
import { distinctPaths, MB, visiblePath } from '@furoshiki/format';
import type { FileToSave } from '@furoshiki/transfer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf } from '../state/folders.ts';
import { assertSendable, findFiles } from './local-files.ts';
import { makeFolder } from './places.ts';
import { createReceivedFiles, removeUseless } from './part-file.ts';
import { spoolInput } from './spool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: string[]) => join(folder, ...names);
const write = (name: string, text = name) => {
  mkdirSync(join(at(name), '..'), { recursive: true });
  writeFileSync(at(name), text);
};
const namesOf = async (paths: string[], followsLinks = false) =>
  (await findFiles(paths, { followsLinks, folders: 'list' })).files.map(({ name }) => name);

describe('files to send', () => {
  it('are those of folders too, named by their path, in the order of people, without system files', async () => {
    for (const name of ['photos/10.jpg', 'photos/2.jpg', 'photos/in/a.txt', 'photos/.DS_Store', 'photos/.hidden'])
      write(name);
    expect(await namesOf([at('photos')])).toEqual([
      'photos/.hidden',
      'photos/2.jpg',
      'photos/10.jpg',
      'photos/in/a.txt',
    ]);
    expect(await namesOf([`${at('photos')}/`, at('photos', '2.jpg')])).toHaveLength(5);
  });

  it('are found through symbolic links only if wanted, and a link that leads back ends', async () => {
    write('outside/secret.txt');
    write('photos/a.txt');
    symlinkSync(at('outside'), at('photos', 'link'));
    symlinkSync(at('photos'), at('photos', 'self'));
    expect(await namesOf([at('photos')])).toEqual(['photos/a.txt']);
    expect(await namesOf([at('photos')], true)).toEqual(['photos/a.txt', 'photos/link/secret.txt']);
    expect(await namesOf([at('photos', 'link')])).toEqual(['link/secret.txt']);
  });

  it('leave out what cannot be sent of a folder, and say why', async () => {
    for (const name of ['mixed/a.txt', 'mixed/closed.txt']) write(name);
    write('mixed/empty.txt', '');
    mkdirSync(at('mixed/nothing'));
    symlinkSync(at('nowhere'), at('mixed/dangling'));
    execFileSync('mkfifo', [at('mixed/fifo')]);
    writeFileSync(Buffer.concat([Buffer.from(`${at('mixed')}/`), Buffer.from([0xe9, 0x2e])]), 'x');
    chmodSync(at('mixed/closed.txt'), 0);
    const isRoot = process.getuid?.() === 0;
    const { files, leftOut } = await findFiles([at('mixed')], { folders: 'list' });
    expect(files.map(({ name }) => name)).toEqual(['mixed/a.txt', ...(isRoot ? ['mixed/closed.txt'] : [])]);
    const reasons = Object.fromEntries(leftOut.map(({ shown, reason }) => [basename(shown), reason]));
    expect(reasons).toEqual({
      'empty.txt': 'empty',
      nothing: 'emptyFolder',
      dangling: 'link',
      fifo: 'special',
      '\uFFFD.': 'name',
      ...(isRoot ? {} : { 'closed.txt': 'unreadable' }),
    });
    const followed = await findFiles([at('mixed')], { followsLinks: true, folders: 'list' });
    expect(followed.leftOut.find(({ shown }) => shown.endsWith('dangling'))?.reason).toBe('unreadable');
  });

  it('that are named on the command line are not left out', async () => {
    write('empty.txt', '');
    symlinkSync(at('nowhere'), at('dangling'));
    expect(() => assertSendable([{ name: 'empty.txt', size: 0 }], false)).toThrow('send.empty');
    expect(await findFiles([at('empty.txt')])).toMatchObject({ files: [{ size: 0 }], leftOut: [] });
    // The path is as it was given, not only its last name.
    const path = at('dangling');
    await expect(findFiles([path])).rejects.toMatchObject({ text: 'send.missing', values: { name: path } });
  });

  it('have names without control characters', async () => {
    write('a\nb\u001B[31m.txt');
    expect(await namesOf([at('a\nb\u001B[31m.txt')])).toEqual(['a_b_[31m.txt']);
  });

  it.each([
    ['missing', 'send.missing'],
    ['/dev/null', 'send.notAFile'],
  ])('%s ends the command', async (path, text) => {
    await expect(findFiles([path.startsWith('/') ? path : at(path)])).rejects.toMatchObject({ text });
  });

  it.each<[string, { name: string; size: number }[]]>([
    ['send.nothing', []],
    ['send.empty', [{ name: 'a', size: 0 }]],
    ['send.tooLarge', [{ name: 'a', size: 11 * 1024 * MB }]],
    ['send.tooMany', Array.from({ length: 1001 }, (_, n) => ({ name: `${n}`, size: 1 }))],
    ['send.nameTooLong', [{ name: 'a'.repeat(1025), size: 1 }]],
  ])('are refused with %s', (text, files) => {
    expect(() => assertSendable(files, false)).toThrow(text);
  });

  it.each([
    ['grows', 'changed', (path: string) => appendFileSync(path, 'x')],
    ['becomes shorter', 'shorter', (path: string) => writeFileSync(path, 'x')],
    ['is written again', 'changed', (path: string) => utimesSync(path, 1, 1)],
    ['disappears', 'ENOENT', (path: string) => rmSync(path)],
  ])('fail to be read if the file %s', async (_, reason, change) => {
    write('a.txt', 'some text');
    const [file] = (await findFiles([at('a.txt')])).files;
    expect(String(await buffer(file!.source.read(2, 6)))).toBe('me t');
    change(at('a.txt'));
    await expect(buffer(file!.source.read(2, 6))).rejects.toThrow(reason);
  });
});

/** The file may have been closed since it was listed. */
function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

describe('standard input', () => {
  // Other processes write to the usual folder.
  beforeEach(() => void vi.stubEnv('TMPDIR', folder));
  afterEach(() => void vi.unstubAllEnvs());

  it('can be read in any range, and is encrypted on disk', async () => {
    const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(60_000)));
    const whole = Buffer.concat(Array.from({ length: 40 }, () => bytes));
    const spool = await spoolInput(Readable.from(Array.from({ length: 40 }, () => bytes)));
    expect(spool.size).toBe(whole.length);
    for (const [start, end] of [
      [0, 10],
      [MB - 5, MB + 5],
      [100, whole.length],
      [2 * MB, whole.length],
      [0, whole.length],
    ] as const)
      expect((await buffer(spool.source.read(start, end))).equals(whole.subarray(start, end))).toBe(true);
    // It has no name any more, so that nothing remains if the process is killed.
    expect(readdirSync(folder)).toEqual([]);
    const stored = readdirSync('/proc/self/fd')
      .map((name) => `/proc/self/fd/${name}`)
      .find((path) => readlink(path).startsWith(folder));
    expect(statSync(stored ?? '').mode & 0o777).toBe(0o600);
    expect(readFileSync(stored ?? '').includes(bytes.subarray(0, 32))).toBe(false);
    await spool.remove();
  });

  it('leaves nothing behind if it breaks', async () => {
    let whileReading: string[] = [];
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(10);
        whileReading = readdirSync(folder);
        throw new Error('broken');
      })(),
    );
    await expect(spoolInput(broken)).rejects.toThrow('broken');
    expect([whileReading, readdirSync(folder)]).toEqual([[], []]);
  });
});

describe('a folder', () => {
  it('is made together with those above it', async () => {
    await makeFolder(at('a/b/c'));
    await makeFolder(at('a/b/c'));
    expect(statSync(at('a/b/c')).isDirectory()).toBe(true);
  });

  it.each([
    ['/proc/a/b', 'ENOENT'],
    ['/dev/null', 'EEXIST'],
    ['/dev/null/a', 'ENOTDIR'],
  ])('cannot be %s', async (path, code) => {
    await expect(makeFolder(path)).rejects.toMatchObject({ code });
  });
});

describe('a received file', () => {
  const CHUNK = 10;
  const key = {} as NonNullable<FileToSave['resumable']>['key'];
  const fileOf = (identity = 'one'): FileToSave => ({
    id: 'id',
    fileName: 'a.txt',
    fileSize: 25,
    chunkSize: CHUNK,
    resumable: { identity, key },
  });
  it.each([
    [1_234_567_890, 1_234_567_890_000],
    [Number.MAX_SAFE_INTEGER, expect.any(Number)],
  ])('keeps the time %s that the sender has sealed, if the disk can', async (modifiedAt, expected) => {
    const destination = files().destinationOf({ ...fileOf(), modifiedAt }, 'a.txt');
    const sink = await destination.open(new AbortController().signal);
    await sink.write(Uint8Array.from(Buffer.from('x')));
    await sink.finish();
    const { mtimeMs } = statSync(at('in/a.txt'));
    expect(mtimeMs).toEqual(expected);
    expect(await files().isSaved(fileOf(), 'a.txt')).toBe(true);
  });

  it.each([
    [true, 0o700],
    [false, 0o600],
    [undefined, 0o600],
  ])('can be run by its owner only if the sender has sealed that (%s)', async (executable, mode) => {
    const destination = files().destinationOf({ ...fileOf(), executable }, 'a.txt');
    const sink = await destination.open(new AbortController().signal);
    await sink.write(Uint8Array.from(Buffer.from('x')));
    expect(statSync(at('in/a.txt.part')).mode & 0o7777).toBe(0o600);
    await sink.finish();
    expect(statSync(at('in/a.txt')).mode & 0o7777).toBe(mode);
  });

  const place = {
    get folder() {
      return at('in');
    },
    get checkpoints() {
      return at('state');
    },
    page: 'a page',
  };
  const files = ({ force = false, paths = ['a.txt'] } = {}) => createReceivedFiles({ ...place, force }, paths);
  const open = (
    path = 'a.txt',
    { identity = 'one', ...options }: Parameters<typeof files>[0] & { identity?: string } = {},
  ) => files(options).destinationOf(fileOf(identity), path).open(new AbortController().signal);
  const save = async (text: string, ...args: Parameters<typeof open>) => {
    const sink = await open(...args);
    await sink.write(chunk(text));
    await sink.finish();
  };
  const chunk = (text: string) => new TextEncoder().encode(text);
  beforeEach(() => mkdirSync(at('in')));

  it('has its name only when it is complete', async () => {
    const sink = await open('deep/in/a.txt');
    await sink.write(chunk('0123456789'));
    expect([existsSync(at('in/deep/in/a.txt')), existsSync(at('in/deep/in/a.txt.part'))]).toEqual([false, true]);
    await sink.write(chunk('abc'));
    await sink.finish();
    expect(readFileSync(at('in/deep/in/a.txt'), 'utf8')).toBe('0123456789abc');
    expect(existsSync(at('in/deep/in/a.txt.part'))).toBe(false);
    await files().forget(['deep/in/a.txt']);
    expect(readdirSync(at('state'))).toEqual([]);
  });

  it('is removed if nothing can complete it, and other incomplete files stay', async () => {
    for (const path of ['a.txt', 'own/deep/b.txt']) {
      const sink = await open(path);
      await sink.write(chunk('0123456789'));
      await sink.suspend();
    }
    write('in/other.txt.part');
    const parts = () =>
      readdirSync(at('in'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'));
    const before = parts();
    expect(await removeUseless({ ...place, page: 'another page' }, 'own')).toEqual([]);
    expect(await removeUseless(place, 'own', () => true)).toEqual([]);
    expect(parts()).toEqual(before);
    expect(await removeUseless(place, 'own')).toEqual(['a.txt.part', 'own/deep/b.txt.part']);
    expect(parts()).toEqual(['other.txt.part']);
    expect(readdirSync(at('state'))).toEqual([]);
    rmSync(at('in'), { recursive: true });
    expect(await removeUseless(place, 'own')).toEqual([]);
  });

  it('continues after its last whole chunk', async () => {
    const first = await open();
    await first.write(chunk('0123456789'));
    await first.suspend();
    appendFileSync(at('in/a.txt.part'), 'half a ch');
    const next = await open();
    expect(next.startsAt).toBe(CHUNK);
    await next.write(chunk('x'));
    await next.finish();
    expect(readFileSync(at('in/a.txt'), 'utf8')).toBe('0123456789x');
  });

  it.each([
    ['it is another file', () => {}, 'two'],
    ['its bytes are gone', () => rmSync(at('in/a.txt.part')), 'one'],
    ['some of its bytes are gone', () => writeFileSync(at('in/a.txt.part'), '012'), 'one'],
  ])('starts over if %s', async (_, change, identity) => {
    const first = await open();
    await first.write(chunk('0123456789'));
    await first.suspend();
    change();
    const next = await open('a.txt', { identity });
    expect([next.startsAt, statSync(at('in/a.txt.part')).size]).toEqual([0, 0]);
    await next.discard();
  });

  it('leaves nothing behind if it is discarded', async () => {
    const sink = await open();
    await sink.write(chunk('0123456789'));
    await sink.discard();
    expect([readdirSync(at('in')), readdirSync(at('state'))]).toEqual([[], []]);
  });

  it.each<[string, string, FileToSave['resumable'], string[]]>([
    ['nothing of a file that has not begun', '', { identity: 'one', key }, []],
    ['nothing of a file that cannot be continued', '0123456789', undefined, []],
    ['what has arrived', '0123456789', { identity: 'one', key }, ['deep/in/a.txt.part']],
  ])('keeps %s if it is interrupted, and says so', async (_, text, resumable, kept) => {
    const received = files();
    const sink = await received
      .destinationOf({ ...fileOf(), resumable }, 'deep/in/a.txt')
      .open(new AbortController().signal);
    if (text !== '') await sink.write(chunk(text));
    await sink.suspend();
    expect(await received.kept(['deep/in/a.txt', 'other.txt'])).toEqual(kept);
    expect(existsSync(at('in/deep'))).toBe(kept.length > 0);
    expect(readdirSync(at('state'))).toHaveLength(kept.length);
  });

  it('may have the longest name that a file system allows', async () => {
    const path = distinctPaths([visiblePath('写'.repeat(300)), visiblePath('写'.repeat(300))])[1] ?? '';
    await save('whole', path);
    expect(readdirSync(at('in'))).toEqual([path]);
  });

  it('never replaces a file that appears in the meantime, unless wanted', async () => {
    const sink = await open();
    await sink.write(chunk('new'));
    write('in/a.txt', 'old');
    await expect(sink.finish()).rejects.toMatchObject({ code: 'SAVE_FAILED', cause: { text: 'receive.exists' } });
    await sink.discard();
    expect([readFileSync(at('in/a.txt'), 'utf8'), readdirSync(at('in'))]).toEqual(['old', ['a.txt']]);
    const forced = await open('a.txt', { force: true });
    await forced.write(chunk('new'));
    await forced.finish();
    expect(readFileSync(at('in/a.txt'), 'utf8')).toBe('new');
  });

  it('is known to be saved until that is forgotten, or the file changes', async () => {
    expect(await files().isSaved(fileOf(), 'a.txt')).toBe(false);
    await save('whole');
    expect(await files().isSaved(fileOf(), 'a.txt')).toBe(true);
    expect(await files().isSaved(fileOf('two'), 'a.txt')).toBe(false);
    await files().forget(['a.txt']);
    expect(await files().isSaved(fileOf(), 'a.txt')).toBe(false);
    await save('again', 'a.txt', { force: true });
    appendFileSync(at('in/a.txt'), 'changed');
    expect(await files().isSaved(fileOf(), 'a.txt')).toBe(false);
  });

  describe('whose process was killed while it got its name', () => {
    beforeEach(async () => {
      await save('whole');
      linkSync(at('in/a.txt'), at('in/a.txt.part'));
    });

    it('is saved, and loses its other name', async () => {
      expect(await files().isSaved(fileOf(), 'a.txt')).toBe(true);
      expect(readdirSync(at('in'))).toEqual(['a.txt']);
    });

    it('stays as it is while it is received again', async () => {
      const sink = await open('a.txt', { force: true });
      await sink.write(chunk('0123456789'));
      expect(readFileSync(at('in/a.txt'), 'utf8')).toBe('whole');
      await sink.finish();
      expect([readFileSync(at('in/a.txt'), 'utf8'), readdirSync(at('in'))]).toEqual(['0123456789', ['a.txt']]);
    });
  });

  it.each([
    ['a file', () => write('in/a.txt.part', 'of another program')],
    ['a symbolic link', () => symlinkSync(at('outside.txt'), at('in/a.txt.part'))],
    [
      'a file with a damaged checkpoint',
      () => {
        write('in/a.txt.part');
        write(join('state', digestOf(at('in/a.txt'))), '{');
      },
    ],
  ])('does not replace %s that has the name of the incomplete file', async (_, create) => {
    create();
    await expect(open()).rejects.toMatchObject({
      cause: { text: 'receive.exists', values: { name: 'a.txt.part' } },
    });
    expect(await files().kept(['a.txt'])).toEqual([]);
    await save('new', 'a.txt', { force: true });
    expect([readFileSync(at('in/a.txt'), 'utf8'), readdirSync(at('in'))]).toEqual(['new', ['a.txt']]);
    expect(existsSync(at('outside.txt'))).toBe(false);
  });

  it('may be sent together with a file that has the name of the incomplete one', async () => {
    const paths = ['a.txt', 'a.txt.part'];
    const sink = await open('a.txt', { paths });
    await save('other', 'a.txt.part', { paths, identity: 'two' });
    await sink.write(chunk('0123456789'));
    await sink.finish();
    expect(paths.map((path) => readFileSync(at('in', path), 'utf8'))).toEqual(['0123456789', 'other']);
    expect(readdirSync(at('in'))).toEqual(paths);
  });

  it('leaves no checkpoint for more than a week', async () => {
    const sink = await open();
    await sink.write(chunk('0123456789'));
    await sink.suspend();
    const [name = ''] = readdirSync(at('state'));
    utimesSync(at('state', name), 1, 1);
    files();
    expect(readdirSync(at('state'))).toEqual([]);
  });

  it('is not written through a symbolic link that leads out of the folder', async () => {
    mkdirSync(at('outside'));
    symlinkSync(at('outside'), at('in', 'photos'));
    for (const path of ['photos/a.txt', 'photos/deep/a.txt'])
      await expect(open(path)).rejects.toMatchObject({ code: 'SAVE_FAILED', cause: { text: 'receive.outside' } });
    expect(readdirSync(at('outside'))).toEqual([]);
  });

  it('is received by one process at a time', async () => {
    const sink = await open();
    await expect(open()).rejects.toMatchObject({ text: 'receive.busy' });
    await sink.discard();
    await (await open()).discard();
  });
});
