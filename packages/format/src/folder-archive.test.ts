import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vector from '../vectors/folder.json' with { type: 'json' };
import {
  ARCHIVE_END_BYTES,
  createFolderReader,
  entryHeader,
  factsOf,
  type FolderEntry,
  type FolderFacts,
  paddingAfter,
  staysInside,
} from './folder-archive.ts';

interface Item extends FolderEntry {
  /** One character for each byte, because it is compared much faster than bytes. */
  content: string;
}

const utf8 = new TextEncoder();
const item = (kind: FolderEntry['kind'], path: string, more: Partial<Item> = {}): Item => {
  const { content = '' } = more;
  return { kind, path, mode: 0o644, modifiedAt: 1_700_000_000, target: '', ...more, content, size: content.length };
};
const folder = (path: string, more: Partial<Item> = {}) => item('folder', path, { mode: 0o755, ...more });
const file = (path: string, text = '', more: Partial<Item> = {}) => item('file', path, { content: text, ...more });
const link = (path: string, target: string) => item('link', path, { mode: 0o777, target });

const ANY_BYTES = Array.from({ length: 1200 }, (_, index) => String.fromCharCode(index % 251)).join('');

const EXAMPLE = [
  folder('photos'),
  file('photos/a.txt', 'hello', { mode: 0o600 }),
  file('photos/empty', ''),
  folder('photos/in'),
  file('photos/in/run', '#!', { mode: 0o755 }),
  link('photos/in/up', '../a.txt'),
];

const bytesOf = (content: string) => Array.from(content, (character) => character.charCodeAt(0));
const zeros = (count: number) => Array.from({ length: count }, () => 0);

function archiveOf(items: readonly Item[], end = ARCHIVE_END_BYTES): Uint8Array<ArrayBuffer> {
  const pieces = items.flatMap((one) => [
    ...entryHeader(one),
    ...bytesOf(one.content),
    ...zeros(paddingAfter(one.size)),
  ]);
  return new Uint8Array([...pieces, ...zeros(end)]);
}

function read(archive: Uint8Array<ArrayBuffer>, facts: FolderFacts, step = archive.length): Item[] {
  const items: Item[] = [];
  const reader = createFolderReader(facts, {
    entry: (entry) => void items.push({ ...entry, content: '' }),
    content(bytes) {
      for (const byte of bytes) items.at(-1)!.content += String.fromCharCode(byte);
    },
  });
  for (let at = 0; at < archive.length; at += step) reader.add(archive.subarray(at, at + step));
  reader.finish();
  return items;
}

describe('the archive of a folder', () => {
  it.each([1, 7, 512, 100_000])('is read in pieces of %i bytes', (step) => {
    expect(read(archiveOf(EXAMPLE), factsOf(EXAMPLE), step)).toEqual(EXAMPLE);
  });

  it('is that of the frozen vector', () => {
    const items = vector.entries.map(({ content = '', ...entry }) => ({
      ...(entry as FolderEntry),
      content: atob(content),
    }));
    const archive = new Uint8Array(bytesOf(atob(vector.archive)));
    expect(archiveOf(items)).toEqual(archive);
    expect(factsOf(items)).toEqual(vector.folder);
    expect(read(archive, vector.folder)).toEqual(items);
  });

  it('keeps every name, time, mode and content', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 150 })
      .map((text) => text.toWellFormed().replaceAll(/[/\0]/gu, '_'))
      .filter((text) => text !== '.' && text !== '..');
    const one = fc.record({
      name,
      mode: fc.integer({ min: 0, max: 0o777 }),
      modifiedAt: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      content: fc.nat(1200).map((length) => ANY_BYTES.slice(0, length)),
      kind: fc.constantFrom('file', 'folder', 'link'),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(one, { selector: (each) => each.name, maxLength: 6 }),
        fc.integer({ min: 1, max: 2000 }),
        (all, step) => {
          const items = all.map(({ name: path, kind, mode, modifiedAt, content }) =>
            item(kind, `root/${path}`, {
              mode,
              modifiedAt,
              ...(kind === 'file' && { content }),
              ...(kind === 'link' && { target: path }),
            }),
          );
          const whole = [folder('root'), ...items];
          expect(read(archiveOf(whole), factsOf(whole), step)).toEqual(whole);
        },
      ),
      { seed: 1, numRuns: 40 },
    );
  });

  const facts = factsOf(EXAMPLE);
  /** Changes one byte field of the second entry, and corrects its sum. */
  const patched = (at: number, text: string) => {
    const archive = archiveOf(EXAMPLE);
    const header = archive.subarray(512, 1024);
    utf8.encodeInto(text, header.subarray(at));
    header.fill(0x20, 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    utf8.encodeInto(`${sum.toString(8).padStart(6, '0')}\0`, header.subarray(148));
    return archive;
  };
  /** Puts records before the second entry. */
  const withRecords = (...all: string[]): [Uint8Array<ArrayBuffer>, FolderFacts] => {
    const extended = all.flatMap((records) => {
      const { length } = utf8.encode(records);
      const header = entryHeader(file('_', 'x'.repeat(length)));
      header.set(utf8.encode('x'), 156);
      header.fill(0x20, 148, 156);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.set(utf8.encode(`${sum.toString(8).padStart(6, '0')}\0`), 148);
      return [...header, ...utf8.encode(records), ...zeros(paddingAfter(length))];
    });
    const archive = archiveOf(EXAMPLE);
    return [new Uint8Array([...archive.subarray(0, 512), ...extended, ...archive.subarray(512)]), facts];
  };
  const withSum = (items: readonly Item[]): [Uint8Array<ArrayBuffer>, FolderFacts] => [
    archiveOf(items),
    factsOf(items),
  ];

  it.each<[string, () => [Uint8Array<ArrayBuffer>, FolderFacts]]>([
    ['leads out of the folder', () => withSum([folder('a'), file('a/../b')])],
    ['leads to the root', () => withSum([folder('a'), file('/etc/passwd')])],
    ['is beside the folder', () => withSum([folder('a'), file('b')])],
    ['is a second folder', () => withSum([folder('a'), folder('b')])],
    ['has an empty part', () => withSum([folder('a'), file('a//b')])],
    ['has a part that is a dot', () => withSum([folder('a'), file('a/./b')])],
    ['is in a folder that did not come', () => withSum([folder('a'), file('a/b/c')])],
    ['is in a file', () => withSum([folder('a'), file('a/b'), file('a/b/c')])],
    ['is in a link', () => withSum([folder('a'), link('a/b', '/etc'), file('a/b/passwd')])],
    ['comes twice', () => withSum([folder('a'), file('a/b'), file('a/b')])],
    ['comes twice, first as a link', () => withSum([folder('a'), link('a/b', 'c'), file('a/b')])],
    ['is too long', () => withSum([folder('a'), file(`a/${'b'.repeat(1023)}`)])],
    ['is a link that leads nowhere', () => withSum([folder('a'), link('a/b', '')])],
    ['is a hard link', () => [patched(156, '1'), facts]],
    ['is a character device', () => [patched(156, '3'), facts]],
    ['is a block device', () => [patched(156, '4'), facts]],
    ['is a FIFO', () => [patched(156, '6'), facts]],
    ['is sparse', () => [patched(156, 'S'), facts]],
    ['is for all entries', () => [patched(156, 'g'), facts]],
    ['has a negative size', () => [patched(124, '-0000000001'), facts]],
    ['has a size in another notation', () => [patched(124, '\u0080\0\0\0\0\0\0\0\0\0\0\u0005'), facts]],
    ['is of another format', () => [patched(257, 'other\0'), facts]],
    ['leads out of the folder by a record', () => withRecords('24 path=photos/../../a\n')],
    ['is absolute by a record', () => withRecords('20 path=/etc/passwd\n')],
    ['has a record that is longer than all of them', () => withRecords('9999 path=photos/a\n')],
    ['has a record without a length', () => withRecords('path=photos/a\n')],
    ['has a record without a name', () => withRecords('7 =abc\n')],
    ['has a negative size by a record', () => withRecords('11 size=-5\n')],
    ['has a size by a record that no number can hold', () => withRecords('25 size=9999999999999999\n')],
    ['has more records than a name needs', () => withRecords(`16385 path=${'a'.repeat(16_373)}\n`)],
    ['has records twice', () => withRecords('13 mtime=123\n', '13 mtime=123\n')],
    [
      'has a name that is not UTF-8',
      () => {
        const archive = patched(0, 'photos/a');
        archive[512 + 7] = 0xff;
        return [archive, facts];
      },
    ],
  ])('is refused if an entry %s', (_, make) => {
    expect(() => read(...make())).toThrow('FOLDER_INVALID');
  });

  it('is read with records that a writer did not need', () => {
    expect(read(...withRecords('13 other=abc\n'))).toEqual(EXAMPLE);
  });

  it.each<[string, () => [Uint8Array<ArrayBuffer>, FolderFacts]]>([
    ['has no end', () => [archiveOf(EXAMPLE, 0), facts]],
    ['ends within an entry', () => [archiveOf(EXAMPLE).subarray(0, 1026), facts]],
    ['goes on after its end', () => [new Uint8Array([...archiveOf(EXAMPLE), ...entryHeader(file('photos/b'))]), facts]],
    ['is empty', () => [new Uint8Array(ARCHIVE_END_BYTES), facts]],
    [
      'was changed in a header',
      () => {
        const archive = archiveOf(EXAMPLE);
        archive[512 + 8] = 0x62;
        return [archive, facts];
      },
    ],
    ...(['files', 'folders', 'links', 'bytes'] as const).flatMap(
      (key): [string, () => [Uint8Array<ArrayBuffer>, FolderFacts]][] => [
        [`has more ${key} than it says`, () => [archiveOf(EXAMPLE), { ...facts, [key]: facts[key] - 1 }]],
        [`has fewer ${key} than it says`, () => [archiveOf(EXAMPLE), { ...facts, [key]: facts[key] + 1 }]],
      ],
    ),
  ])('is refused if it %s', (_, make) => {
    expect(() => read(...make())).toThrow('FOLDER_INVALID');
  });

  it('has no permissions beyond those of reading, writing and running', () => {
    const setuid = file('photos/a', '', { mode: 0o6755 });
    expect(read(archiveOf([folder('photos'), setuid]), factsOf([folder('photos'), setuid])).at(-1)?.mode).toBe(0o755);
    const [, first] = read(patched(100, '0006755'), facts);
    expect(first?.mode).toBe(0o755);
  });
});

describe('a link', () => {
  const links = new Set(['f/a/up', 'f/l']);
  const isLink = (path: string) => links.has(path);
  it.each([
    ['f/l', 'a/b.txt', true],
    ['f/l', './a//b.txt', true],
    ['f/a/up', '..', true],
    ['f/a/x', '../a/../b', true],
    ['f/x', 'l', true],
    ['f/x', 'nothing', true],
    ['f/x', '/etc/passwd', false],
    ['f/x', '..', false],
    ['f/x', '../f/b', false],
    ['f/a/x', '../../b', false],
    // Followed, these lead out.
    ['f/x', 'a/up/../b', false],
    ['f/x', 'l/b', false],
    ['f/x', 'C:', false],
    ['f/x', String.raw`a\..\..\b`, false],
  ])('from %s to %s stays inside: %s', (path, target, expected) => {
    expect(staysInside(path, target, isLink)).toBe(expected);
  });
});
