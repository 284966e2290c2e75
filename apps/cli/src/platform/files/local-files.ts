// The files to send: named on the command line, or found in folders.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { access, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { MAX_TOTAL_BYTES, STATED_TOTAL_GB } from '@furoshiki/api';
import {
  FOLDER_CONTENT_TYPE,
  FOLDER_SUFFIX,
  type FolderEntry,
  KB,
  MAX_FILE_NAME_LENGTH,
  MAX_FILES_PER_PAGE,
  MAX_FOLDER_ENTRIES,
  shownName,
  staysInside,
} from '@furoshiki/format';
import {
  compareNames,
  type FileProblem,
  type LocalFile,
  nameToSend,
  problemOfAll,
  problemOfFile,
  SYSTEM_FILES,
  type TotalProblem,
} from '@furoshiki/transfer';
import { CliError } from '../../errors.ts';
import type { Source } from '../parts/part-streams.ts';
import { createFolderSource, type EntryToSend } from './folder-source.ts';

/** A file on disk, or the archive of a folder. */
interface DiskFile extends LocalFile<Source> {
  path: string;
  /** What must not change while it is sent. */
  version: number | string;
}

interface Found {
  path: string;
  name: string;
  /** The path as the user gave it, for messages. */
  shown: string;
}

interface FoundEntry extends Found {
  kind: FolderEntry['kind'];
  facts: Pick<Stats, 'size' | 'mtimeMs' | 'mode'>;
  /** Of a link. */
  target: string;
  /** Whether it is a folder that contains nothing. */
  isEmpty: boolean;
}

/** Why something in a folder is not sent. What the user has named itself is an error instead. */
export type LeftOutReason = 'empty' | 'emptyFolder' | 'link' | 'linkOutside' | 'special' | 'unreadable' | 'name';

export interface LeftOut {
  shown: string;
  reason: LeftOutReason;
}

const PIECE_BYTES = 512 * KB;
const SMALL_BYTES = 128 * KB;

export interface FindOptions {
  /** Symbolic links that are named on the command line are always followed. */
  followsLinks?: boolean;
  /** How folders are sent. By default, as an archive if a list of their files would lose something. */
  folders?: 'archive' | 'list' | undefined;
}

interface FoundFiles {
  files: DiskFile[];
  leftOut: LeftOut[];
}

/** More files than this go as one archive: each file of a list costs the server and both clients several calls. */
const MAX_LISTED_FILES = 100;

export async function findFiles(
  paths: readonly string[],
  { followsLinks = false, folders }: FindOptions = {},
): Promise<FoundFiles> {
  const trees: FoundEntry[][] = [];
  const leftOut: LeftOut[] = [];
  const count = { entries: 0, bytes: 0 };
  for (const path of paths) {
    const whole = resolve(path);
    const named = { path: whole, name: basename(whole), shown: path };
    const found: FoundEntry[] = [];
    trees.push(found);
    await walk(named, { found, leftOut, count, followsLinks, isNamed: true, above: [] });
  }
  if (count.bytes > MAX_TOTAL_BYTES) throw new CliError('send.tooLarge', { size: STATED_TOTAL_GB });
  const isMany = trees.flat().filter(({ kind }) => kind === 'file').length > MAX_LISTED_FILES;
  const files = trees.flatMap((entries) => {
    const isArchive = folders === undefined ? isMany || !isListable(entries) : folders === 'archive';
    const isFolder = entries[0]?.kind === 'folder' && entries.length > 1;
    return isFolder && isArchive ? archiveOf(entries, leftOut) : listOf(entries, leftOut);
  });
  return { files, leftOut };
}

/** Whether a list of files, each with its time and whether it can be run, is all that there is to say about a folder. */
function isListable(entries: readonly FoundEntry[]): boolean {
  return entries.every(({ kind, facts: { size, mode }, isEmpty }) => {
    // What a recipient cannot write was protected by the sender.
    const isUsual = (mode & constants.S_IWUSR) !== 0 && (mode & constants.S_IRUSR) !== 0;
    return isUsual && (kind === 'file' ? size > 0 : kind === 'folder' && !isEmpty);
  });
}

function listOf(entries: readonly FoundEntry[], leftOut: LeftOut[]): DiskFile[] {
  const files: DiskFile[] = [];
  for (const [index, entry] of entries.entries()) {
    const { kind, shown, facts, isEmpty } = entry;
    const isNamed = index === 0;
    if (kind === 'link') leftOut.push({ shown, reason: 'link' });
    else if (kind === 'folder' && isEmpty && !isNamed) leftOut.push({ shown, reason: 'emptyFolder' });
    else if (kind === 'file' && facts.size === 0 && !isNamed) leftOut.push({ shown, reason: 'empty' });
    else if (kind === 'file') files.push(describe(entry));
  }
  return files;
}

function archiveOf(found: readonly FoundEntry[], leftOut: LeftOut[]): DiskFile[] {
  const links = new Set(found.flatMap(({ kind, name }) => (kind === 'link' ? [nameToSend(name)] : [])));
  const taken = new Set<string>();
  const entries: EntryToSend[] = [];
  for (const { kind, path, name, shown, facts, target } of found) {
    const sentName = nameToSend(name);
    if (sentName.length > MAX_FILE_NAME_LENGTH) throw new CliError('send.nameTooLong', { name: shown });
    const isOutside = kind === 'link' && !staysInside(sentName, target, (at) => links.has(at));
    // Two names may differ in control characters only, which no client writes.
    if (isOutside || taken.has(sentName)) {
      leftOut.push({ shown, reason: isOutside ? 'linkOutside' : 'name' });
      continue;
    }
    taken.add(sentName);
    entries.push({
      kind,
      path: sentName,
      size: kind === 'file' ? facts.size : 0,
      mode: facts.mode & 0o777,
      modifiedAt: Math.floor(facts.mtimeMs / 1000),
      target,
      source: kind === 'file' ? diskSource(path, facts.size, facts.mtimeMs) : undefined,
      modifiedMs: facts.mtimeMs,
    });
  }
  const root = found[0] as FoundEntry;
  const { facts, size, source, identity } = createFolderSource(entries);
  const name = `${nameToSend(root.name)}${FOLDER_SUFFIX}`;
  const modifiedAt = Math.floor(root.facts.mtimeMs / 1000);
  const file = { name, size, contentType: FOLDER_CONTENT_TYPE, modifiedAt, folder: facts, source };
  return [{ ...file, path: root.path, version: identity }];
}

interface Walk {
  found: FoundEntry[];
  leftOut: LeftOut[];
  /** Of all that was found. */
  count: { entries: number; bytes: number };
  followsLinks: boolean;
  isNamed: boolean;
  /** The real paths of the folders above, so that a link that leads back to one of them ends. */
  above: readonly string[];
}

async function walk(one: Found, { found, leftOut, count, followsLinks, isNamed, above }: Walk): Promise<void> {
  const { path, name, shown } = one;
  // Without these limits a mistake such as `send /` would read the whole disk first.
  if (count.bytes > MAX_TOTAL_BYTES) return;
  if (count.entries >= MAX_FOLDER_ENTRIES) throw new CliError('send.tooMany', { count: MAX_FOLDER_ENTRIES });
  const leaveOut = (reason: LeftOutReason) => void leftOut.push({ shown, reason });
  const add = (kind: FolderEntry['kind'], facts: Stats, more: { target?: string; isEmpty?: boolean } = {}) => {
    count.entries += 1;
    if (kind === 'file') count.bytes += facts.size;
    found.push({ ...one, kind, facts, target: '', isEmpty: false, ...more });
  };
  try {
    const facts = await (followsLinks || isNamed ? stat(path) : lstat(path));
    if (facts.isFile()) {
      if (SYSTEM_FILES.test(name)) return;
      await access(path, constants.R_OK);
      add('file', facts);
      return;
    }
    if (facts.isSymbolicLink()) {
      add('link', facts, { target: await readlink(path) });
      return;
    }
    if (!facts.isDirectory()) {
      if (isNamed) throw new CliError('send.notAFile', { name: shownName(shown) });
      leaveOut('special');
      return;
    }
    const real = await realpath(path);
    if (above.includes(real)) return;
    const children = (await readdir(path)).toSorted(compareNames);
    add('folder', facts, { isEmpty: children.length === 0 });
    for (const child of children)
      await walk(
        { path: join(path, child), name: `${name}/${child}`, shown: join(shown, child) },
        { found, leftOut, count, followsLinks, isNamed: false, above: [...above, real] },
      );
  } catch (error) {
    if (isNamed || error instanceof CliError) throw asUnreadable(shown, error);
    // Node reads a name that is not UTF-8 with replacements, under which there is no file.
    const isOtherName = (error as NodeJS.ErrnoException).code === 'ENOENT' && name.includes('\uFFFD');
    leaveOut(isOtherName ? 'name' : 'unreadable');
  }
}

function describe({ path, name, facts: { size, mtimeMs, mode } }: FoundEntry): DiskFile {
  const shown = nameToSend(name);
  return {
    name: shown,
    size,
    contentType: contentTypeOf(shown),
    modifiedAt: Math.floor(mtimeMs / 1000),
    // Nothing else of the mode: a recipient decides who may read and write it.
    ...(mode & constants.S_IXUSR && { executable: true }),
    source: diskSource(path, size, mtimeMs),
    path,
    version: mtimeMs,
  };
}

/** Reads pieces of a file, and fails if the file is no longer the one that was described. */
function diskSource(path: string, size: number, modifiedMs: number): Source {
  return {
    async *read(start, end) {
      // At once: for thousands of small files, each wait takes longer than the reading.
      if (end - start <= SMALL_BYTES) return yield readNow(path, start, end, { size, modifiedMs });
      const file = await open(path);
      try {
        const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - start));
        for (let at = start; at < end; ) {
          const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
          if (bytesRead === 0) throw new Error('the file has become shorter');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
        assertSame(await file.stat(), { size, modifiedMs });
      } finally {
        await file.close();
      }
      return undefined;
    },
  };
}

interface Described {
  size: number;
  modifiedMs: number;
}

function readNow(path: string, start: number, end: number, described: Described): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(end - start);
    for (let at = 0; at < bytes.length; ) {
      const length = readSync(file, bytes, at, bytes.length - at, start + at);
      if (length === 0) throw new Error('the file has become shorter');
      at += length;
    }
    assertSame(fstatSync(file), described);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function assertSame(now: Pick<Stats, 'size' | 'mtimeMs'>, { size, modifiedMs }: Described): void {
  if (now.size !== size || now.mtimeMs !== modifiedMs) throw new Error('the file has changed');
}

/** Throws if the server would refuse these files, before the first byte is sent. */
export function assertSendable(files: readonly Pick<DiskFile, 'name' | 'size'>[], hidesNames: boolean): void {
  const total = problemOfAll(
    files.map(({ size }) => size),
    hidesNames,
  );
  if (total) throw new CliError(TOTAL_PROBLEMS[total], { size: STATED_TOTAL_GB, count: MAX_FILES_PER_PAGE });
  let namesLength = 0;
  for (const file of files) {
    const problem = problemOfFile(file.name, file.size, namesLength);
    if (problem) throw new CliError(FILE_PROBLEMS[problem], { name: file.name, size: STATED_TOTAL_GB });
    namesLength += file.name.length;
  }
}

const FILE_PROBLEMS = {
  empty: 'send.empty',
  fileTooLarge: 'send.tooLarge',
  nameTooLong: 'send.nameTooLong',
} as const satisfies Record<FileProblem, string>;
const TOTAL_PROBLEMS = {
  nothing: 'send.nothing',
  'too-large': 'send.tooLarge',
  'too-many': 'send.tooMany',
} as const satisfies Record<TotalProblem, string>;

/** The error for a path that the user has named. */
export function asUnreadable(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new CliError(code === 'ENOENT' ? 'send.missing' : 'send.unreadable', { name: shownName(path), code });
}

/** No library, because the type only chooses an icon: these are the files that people send, not the thousand types of mime-db. */
const TYPES: Record<string, string> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.heic': 'image/heic',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mkv': 'video/x-matroska',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

export function contentTypeOf(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
}
