import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageRig, PAGE_ID } from '../../../testing/download-rig.ts';
import { randomBytes } from '../../../testing/rigs.ts';
import { archiveEntries } from './run.ts';
import { centralDirectory, dataDescriptor, localHeader, type WrittenEntry } from './zip-format.ts';

const GB = 1024 ** 3;
const PYTHON = `
import sys, zipfile
archive, folder, *names = sys.argv[1:]
zipfile.ZipFile(archive).extractall(folder, names or None)`;

/** How each program extracts an archive, or only some names of it, into a folder. */
const PROGRAMS: Record<string, (archive: string, folder: string, ...names: string[]) => string[]> = {
  unzip: (archive, folder, ...names) => ['-q', archive, ...names, '-d', folder],
  '7zz': (archive, folder, ...names) => ['x', '-y', `-o${folder}`, archive, ...names],
  bsdtar: (archive, folder, ...names) => ['-x', '-f', archive, '-C', folder, ...names],
  python3: (...args) => ['-c', PYTHON, ...args],
};

const ODD_NAMES = [
  // A file and a folder, in any case and normal form.
  ['notes', 'notes/a.txt', 'Notes', 'NOTES/A.TXT', 'notes/b/c', 'notes/b', 'Notes/B/D'],
  ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9/x', 'cafe\u0301/y', '\u00c5', '\u212b', 'A\u030a', '\uac00', '\u1100\u1161'],
  ['ΟΔΟΣ', 'οδος', 'οδοσ', 'straße', 'STRASSE', 'İ', 'i\u0307', 'ﬁle', 'FILE'],
  ['same.txt', 'same.txt', 'SAME.TXT', 'same (2).txt', '.env', '.env', '.ENV'],
  // What Windows cannot store.
  [
    '?',
    '*',
    '|',
    '<',
    '>',
    '"',
    ':',
    'a?b',
    'a*b',
    'C:/x',
    'C:x',
    'file.txt:stream',
    'dot.',
    'dots...',
    'space ',
    'a. .',
  ],
  ['folder./x', 'folder /x', 'CON', 'con.txt', 'PRN', 'AUX/a', 'NUL', 'nul.tar.gz', 'NUL .txt', 'CONIN$', 'CONOUT$'],
  Array.from({ length: 10 }, (_, digit) => `COM${digit}`),
  ['COM¹', 'LPT³', 'com²/x'],
  // What leads out of a folder, or means an option.
  ['/etc/passwd', '//x', '../x', '../../x', 'a/../../x', '..', '.', './x', '.../x', '/', 'a//b', '~/x', '~'],
  [String.raw`\x`, String.raw`..\x`, String.raw`a\b`, String.raw`C:\x`, '-rf', '--help', '-', '@list', '$HOME', '`x`'],
  ['[a]', '{b}', '!', '%PATH%', ' leading', 'line\nbreak', 'tab\tstop', 'nul\0byte', '\u202egpj.exe', 'a\u200fb'],
  ['lone\ud800', 'lone\ud801', 'lone\udc00'],
  // Other scripts.
  [
    '🎁',
    '👨‍👩‍👧‍👦.jpg',
    '🏳️‍🌈/🇯🇵',
    '写真/花.jpg',
    'שלום.txt',
    'مرحبا/ملف.txt',
    'हिन्दी',
    'ไทย',
    'a\u0300\u0301\u0302',
    '𝒳',
    '\u3000',
  ],
  // Long ones. A name of 255 characters, which Windows can store, may have 765 bytes.
  ['x'.repeat(255), 'x'.repeat(256), `${'x'.repeat(300)}.txt`, `${'x'.repeat(300)}.txt`, `a.${'x'.repeat(300)}`],
  ['写'.repeat(255), `${'写'.repeat(250)}.jpg`, `${'写'.repeat(250)}.JPG`, `${'🎁'.repeat(127)}/${'é'.repeat(255)}`],
  ['.'.repeat(300), `${'d'.repeat(300)}/x`, `${'d'.repeat(301)}/x`, 'd'.repeat(300), 'deep/'.repeat(200)],
].flat();
const names = [...ODD_NAMES, ...Array.from({ length: 300 }, (_, index) => `folder ${index % 7}/${index % 100}.bin`)];

const contents = names.map((_, index) => randomBytes(1 + (index % 90)));
const isMissing = (program: string) => spawnSync(program, ['--help']).error !== undefined;

let folder: string;
/** The archive that the product makes of these files, and the paths that it announces. */
let archive: string;
let paths: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-zip-'));
  archive = join(folder, 'all.zip');
  const rig = await createPageRig(contents, { names });
  await rig.engine.downloadArchive('all.zip');
  await writeFile(archive, Uint8Array.from(rig.disks.get(PAGE_ID)?.bytes ?? []));
  paths = archiveEntries(rig.files).map(({ path }) => path);
});

afterAll(() => rm(folder, { recursive: true }));

/** Extracts into an empty folder that has nothing beside it. Returns the paths and contents of all files. */
async function extract(program: string, from: string, ...wanted: string[]): Promise<Map<string, Uint8Array>> {
  const around = await mkdtemp(join(folder, 'around-'));
  const into = join(around, 'a', 'b');
  await mkdir(into, { recursive: true });
  const args = PROGRAMS[program]?.(from, into, ...wanted);
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { status, stderr } = spawnSync(program, args, { cwd: into, env, stdio: ['ignore', 'ignore', 'pipe'] });
  expect([status, stderr.toString()]).toEqual([0, '']);
  expect([await readdir(around), await readdir(join(around, 'a'))]).toEqual([['a'], ['b']]);
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(into, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory()) files.set(asWritten(path.slice(into.length + 1)), new Uint8Array(await readFile(path)));
  }
  return files;
}

/** bsdtar composes letters and accents. */
const asWritten = (path: string) => path.normalize('NFC');

it('has no two paths that a system without case and normal form takes for the same', () => {
  const folded = paths.map((path) => path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC'));
  expect(new Set(folded).size).toBe(names.length);
});

describe.for(Object.keys(PROGRAMS))('%s', (program) => {
  it.skipIf(isMissing(program))('extracts exactly what was put in', async () => {
    const extracted = await extract(program, archive);
    expect([...extracted.keys()].toSorted()).toEqual(paths.map(asWritten).toSorted());
    for (const [index, path] of paths.entries()) expect(extracted.get(asWritten(path))).toEqual(contents[index]);
  });

  it.skipIf(isMissing(program))('extracts an empty file, and one behind five gigabytes', async () => {
    const large = join(folder, `${program}.zip`);
    const small = randomBytes(9);
    await writeLarge(large, { empty: new Uint8Array(), large: undefined, behind: small });
    const extracted = await extract(program, large, 'empty', 'behind');
    expect(Object.fromEntries(extracted)).toEqual({ empty: new Uint8Array(), behind: small });
  });
});

/** Writes an archive. A file without content has five gigabytes: a hole in the archive, which takes no space. */
async function writeLarge(path: string, files: Record<string, Uint8Array | undefined>): Promise<void> {
  const file = await open(path, 'w');
  const written: WrittenEntry[] = [];
  let offset = 0;
  const write = async (bytes: Uint8Array, length = bytes.length) => {
    await file.write(bytes, 0, bytes.length, offset);
    offset += length;
  };
  for (const [name, content = new Uint8Array()] of Object.entries(files)) {
    const size = files[name]?.length ?? 5 * GB;
    const entry = { path: name, size, modifiedAtSeconds: 0, crc32: crc32(content), offset };
    written.push(entry);
    await write(localHeader(entry));
    await write(content, size);
    await write(dataDescriptor(entry, entry.crc32));
  }
  await write(centralDirectory(written, offset));
  await file.close();
}
