import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
import type { FileSink } from '../../ports.ts';
import { type FolderContents, readFolderContents } from './folder-contents.ts';
import { zipOfFolder } from './folder-zip.ts';
import { createZippedFolder } from './zipped-folder.ts';

type Bytes = Uint8Array<ArrayBuffer>;
interface Item extends FolderEntry {
  content: Bytes;
}

const item = (kind: FolderEntry['kind'], path: string, more: Partial<Item> = {}): Item => {
  const content = more.content ?? new Uint8Array();
  return { kind, path, mode: 0o644, modifiedAt: 1_700_000_000, target: '', ...more, content, size: content.length };
};
const folder = (path: string) => item('folder', path, { mode: 0o755 });
const file = (path: string, text: string, mode = 0o644) =>
  item('file', path, { content: new TextEncoder().encode(text), mode });
const link = (path: string, target: string) => item('link', path, { target });

function archiveOf(items: readonly Item[]): { archive: Bytes; facts: FolderFacts } {
  const pieces = items.flatMap((one) => [entryHeader(one), one.content, new Uint8Array(paddingAfter(one.size))]);
  const whole = Buffer.concat([...pieces, new Uint8Array(ARCHIVE_END_BYTES)]);
  return { archive: new Uint8Array(whole), facts: factsOf(items) };
}

async function contentsOf(items: readonly Item[]): Promise<FolderContents> {
  const { archive, facts } = archiveOf(items);
  return readFolderContents({ archive: new Blob([archive]), facts });
}

/** As a browser makes it from an archive that it keeps. */
async function zipOf(items: readonly Item[]): Promise<Bytes> {
  const { archive } = archiveOf(items);
  const pieces = zipOfFolder(await contentsOf(items));
  return new Uint8Array(
    Buffer.concat(pieces.map((piece) => ('start' in piece ? archive.subarray(piece.start, piece.end) : piece))),
  );
}

/** Takes what it writes, as a sink does that transfers the buffer. */
function createSink() {
  const written: Bytes[] = [];
  const ends: string[] = [];
  const sink: FileSink = {
    startsAt: 0,
    write: async (bytes) => void written.push(structuredClone(bytes, { transfer: [bytes.buffer] })),
    finish: async () => void ends.push('finished'),
    suspend: async () => void ends.push('suspended'),
    discard: async () => void ends.push('discarded'),
  };
  return { sink, ends, bytes: () => Buffer.concat(written) };
}

/** As a browser makes it while the archive arrives in chunks. */
async function zippedOf(items: readonly Item[], chunkBytes: number) {
  const { archive, facts } = archiveOf(items);
  const target = createSink();
  const complete: FolderContents[] = [];
  const sink = createZippedFolder(target.sink, facts, (contents) => void complete.push(contents));
  for (let at = 0; at < archive.length; at += chunkBytes) await sink.write(archive.slice(at, at + chunkBytes));
  return { ...target, complete, sink };
}

const LARGE = item('file', 'trip/large.bin', {
  content: Uint8Array.from({ length: 9 * 1024 * 1024 + 5 }, (_, index) => (index * 7 + (index >> 9)) % 251),
});
const TRIP = [
  folder('trip'),
  file('trip/.gitignore', 'node_modules'),
  file('trip/empty', ''),
  LARGE,
  folder('trip/in'),
  file('trip/in/run', '#!/bin/sh\n', 0o755),
  file(`trip/in/${'long '.repeat(40)}写真`, 'a long name'),
  link('trip/in/up', '../empty'),
  folder('trip/nothing'),
  folder('trip/only a link'),
  link('trip/only a link/x', '../empty'),
];

describe('the ZIP of a folder', () => {
  let into: string;
  beforeEach(() => {
    into = mkdtempSync(join(tmpdir(), 'furoshiki-folder-'));
  });
  afterEach(() => rmSync(into, { recursive: true }));

  it.skipIf(spawnSync('unzip').error)(
    'is extracted with what is empty and what can be run, and without links',
    async () => {
      writeFileSync(join(into, 'trip.zip'), await zipOf(TRIP));
      const unzipped = spawnSync('unzip', ['-q', 'trip.zip'], { cwd: into, encoding: 'utf8' });
      expect([unzipped.status, unzipped.stderr]).toEqual([0, '']);
      const extracted = readdirSync(into, { recursive: true, encoding: 'utf8' }).filter((path) => path !== 'trip.zip');
      const expected = TRIP.filter(({ kind }) => kind !== 'link').map(({ path }) => path);
      expect(extracted.toSorted()).toEqual(expected.toSorted());
      for (const { path, content } of TRIP.filter(({ kind }) => kind === 'file'))
        expect(readFileSync(join(into, path)).equals(content), path).toBe(true);
      const modeOf = (path: string) => statSync(join(into, path)).mode & 0o777;
      expect([modeOf('trip/in/run'), modeOf('trip/empty'), modeOf('trip/nothing')]).toEqual([0o755, 0o644, 0o755]);
    },
  );

  it.each([1000, 512 * 1024, 16 * 1024 * 1024])('is the same if it is made of chunks of %i bytes', async (bytes) => {
    const zipped = await zippedOf(TRIP, bytes);
    await zipped.sink.finish();
    expect(zipped.bytes().equals(await zipOf(TRIP))).toBe(true);
    expect([zipped.ends, zipped.complete]).toEqual([['finished'], [await contentsOf(TRIP)]]);
  });
});

describe('the contents of a folder', () => {
  it('are its files, with what was left out', async () => {
    const { files, emptyFolders, links } = await contentsOf(TRIP);
    expect(files.map(({ path, size }) => [path, size])).toContainEqual(['trip/.gitignore', 12]);
    expect(emptyFolders.map(({ path }) => path)).toEqual(['trip/nothing/', 'trip/only a link/']);
    expect(links).toEqual(['trip/in/up', 'trip/only a link/x']);
  });

  it('have names that every system can store and tells apart', async () => {
    const { files } = await contentsOf([
      folder('.ssh'),
      file('.ssh/a', ''),
      file('.ssh/A', ''),
      file('.ssh/con', ''),
      file('.ssh/x:y', ''),
      file(String.raw`.ssh/..\..\evil`, ''),
      file('.ssh/\u202egpj.exe', ''),
      folder('.ssh/b?'),
      file('.ssh/b?/c', ''),
      folder('.ssh/b*'),
      file('.ssh/b*/c', ''),
      file(`.ssh/${'x'.repeat(300)}.txt`, ''),
    ]);
    expect(files.map(({ path }) => path)).toEqual([
      '_ssh/a',
      '_ssh/A (2)',
      '_ssh/_con',
      '_ssh/x_y',
      '_ssh/.._.._evil',
      '_ssh/_gpj.exe',
      '_ssh/b_/c',
      '_ssh/b_ (2)/c',
      `_ssh/${'x'.repeat(246)}.txt`,
    ]);
  });

  it.each([
    ['leads out of the folder', [folder('a'), file('a/../../b', '')]],
    ['is absolute', [folder('a'), file('/etc/passwd', '')]],
    ['has a name that is too long', [folder('a'), file(`a/${'b'.repeat(2000)}`, '')]],
    ['is in a link', [folder('a'), link('a/b', '/etc'), file('a/b/passwd', '')]],
  ])('are refused if an entry %s', async (_, items) => {
    await expect(contentsOf(items)).rejects.toThrow('FOLDER_INVALID');
    await expect(zippedOf(items, 1000)).rejects.toThrow('FOLDER_INVALID');
  });

  it('are refused if the archive was cut, before the ZIP gets its end', async () => {
    const { archive, facts } = archiveOf(TRIP);
    const cut = archive.subarray(0, -ARCHIVE_END_BYTES);
    await expect(readFolderContents({ archive: new Blob([cut]), facts })).rejects.toThrow('FOLDER_INVALID');
    const target = createSink();
    const sink = createZippedFolder(target.sink, facts, () => expect.unreachable());
    await sink.write(cut.slice());
    await expect(sink.finish()).rejects.toThrow('FOLDER_INVALID');
    await sink.suspend();
    expect(target.ends).toEqual(['discarded']);
  });
});
