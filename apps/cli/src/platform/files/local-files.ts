// The files to send: named on the command line, or found in folders.
import { constants } from 'node:fs';
import { access, lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { STATED_TOTAL_GB } from '@furoshiki/api';
import { KB, MAX_FILES_PER_PAGE, shownName } from '@furoshiki/format';
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

/** A file on disk, and what must not change while it is sent. */
interface DiskFile extends LocalFile<Source> {
  path: string;
  modifiedMs: number;
}

interface Found {
  path: string;
  name: string;
  /** The path as the user gave it, for messages. */
  shown: string;
}

/** Why something in a folder is not sent. What the user has named itself is an error instead. */
export type LeftOutReason = 'empty' | 'emptyFolder' | 'link' | 'special' | 'unreadable' | 'name';

export interface LeftOut {
  shown: string;
  reason: LeftOutReason;
}

const PIECE_BYTES = 512 * KB;

/** Symbolic links that are named on the command line are always followed. */
export async function findFiles(
  paths: readonly string[],
  followsLinks: boolean,
): Promise<{ files: DiskFile[]; leftOut: LeftOut[] }> {
  const found: Found[] = [];
  const leftOut: LeftOut[] = [];
  const files: DiskFile[] = [];
  for (const path of paths) {
    const whole = resolve(path);
    const named = { path: whole, name: basename(whole), shown: path };
    await walk(named, { found, leftOut, followsLinks, isNamed: true, above: [] });
  }
  for (const one of found) files.push(await describe(one));
  return { files, leftOut };
}

interface Walk {
  found: Found[];
  leftOut: LeftOut[];
  followsLinks: boolean;
  isNamed: boolean;
  /** The real paths of the folders above, so that a link that leads back to one of them ends. */
  above: readonly string[];
}

async function walk(one: Found, { found, leftOut, followsLinks, isNamed, above }: Walk): Promise<void> {
  const { path, name, shown } = one;
  // Without this limit a mistake such as `send /` would read the whole disk first.
  if (found.length > MAX_FILES_PER_PAGE) return;
  const leaveOut = (reason: LeftOutReason) => void leftOut.push({ shown, reason });
  try {
    const facts = await (followsLinks || isNamed ? stat(path) : lstat(path));
    if (facts.isFile()) {
      if (SYSTEM_FILES.test(name)) return;
      await access(path, constants.R_OK);
      if (facts.size === 0 && !isNamed) leaveOut('empty');
      else found.push(one);
      return;
    }
    if (!facts.isDirectory()) {
      if (isNamed) throw new CliError('send.notAFile', { name: shownName(shown) });
      leaveOut(facts.isSymbolicLink() ? 'link' : 'special');
      return;
    }
    const real = await realpath(path);
    if (above.includes(real)) return;
    const children = (await readdir(path)).toSorted(compareNames);
    if (children.length === 0 && !isNamed) leaveOut('emptyFolder');
    for (const child of children)
      await walk(
        { path: join(path, child), name: `${name}/${child}`, shown: join(shown, child) },
        { found, leftOut, followsLinks, isNamed: false, above: [...above, real] },
      );
  } catch (error) {
    if (isNamed || error instanceof CliError) throw asUnreadable(shown, error);
    // Node reads a name that is not UTF-8 with replacements, under which there is no file.
    const isOtherName = (error as NodeJS.ErrnoException).code === 'ENOENT' && name.includes('\uFFFD');
    leaveOut(isOtherName ? 'name' : 'unreadable');
  }
}

async function describe({ path, name, shown: given }: Found): Promise<DiskFile> {
  const { size, mtimeMs } = await stat(path).catch((error: unknown) => {
    throw asUnreadable(given, error);
  });
  const shown = nameToSend(name);
  return {
    name: shown,
    size,
    contentType: contentTypeOf(shown),
    modifiedAt: Math.floor(mtimeMs / 1000),
    source: diskSource(path, size, mtimeMs),
    path,
    modifiedMs: mtimeMs,
  };
}

/** Reads pieces of a file, and fails if the file is no longer the one that was described. */
function diskSource(path: string, size: number, modifiedMs: number): Source {
  return {
    async *read(start, end) {
      const file = await open(path);
      try {
        const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - start));
        for (let at = start; at < end; ) {
          const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
          if (bytesRead === 0) throw new Error('the file has become shorter');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
        const now = await file.stat();
        if (now.size !== size || now.mtimeMs !== modifiedMs) throw new Error('the file has changed');
      } finally {
        await file.close();
      }
    },
  };
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

function asUnreadable(path: string, error: unknown): CliError {
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
