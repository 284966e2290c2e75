// The files to send: named on the command line, or found in folders.
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
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
}

const PIECE_BYTES = 512 * KB;

/** Symbolic links that are named on the command line are always followed. */
export async function findFiles(paths: readonly string[], followsLinks: boolean): Promise<DiskFile[]> {
  const found: Found[] = [];
  for (const path of paths) {
    const whole = resolve(path);
    await walk({ path: whole, name: basename(whole) }, { found, followsLinks, isNamed: true, above: [] });
  }
  const files: DiskFile[] = [];
  for (const { path, name } of found) files.push(await describe(path, name));
  return files;
}

interface Walk {
  found: Found[];
  followsLinks: boolean;
  isNamed: boolean;
  /** The real paths of the folders above, so that a link that leads back to one of them ends. */
  above: readonly string[];
}

async function walk({ path, name }: Found, { found, followsLinks, isNamed, above }: Walk): Promise<void> {
  const facts = await orUnreadable(name, followsLinks || isNamed ? stat(path) : lstat(path));
  // Without this limit a mistake such as `send /` would read the whole disk first.
  if (found.length > MAX_FILES_PER_PAGE) return;
  if (facts.isFile()) {
    if (!SYSTEM_FILES.test(name)) found.push({ path, name });
    return;
  }
  if (!facts.isDirectory()) {
    if (isNamed) throw new CliError('send.notAFile', { name: shownName(name) });
    return;
  }
  const real = await orUnreadable(name, realpath(path));
  if (above.includes(real)) return;
  const children = (await orUnreadable(name, readdir(path))).toSorted(compareNames);
  for (const child of children)
    await walk(
      { path: join(path, child), name: `${name}/${child}` },
      { found, followsLinks, isNamed: false, above: [...above, real] },
    );
}

async function describe(path: string, name: string): Promise<DiskFile> {
  const { size, mtimeMs } = await orUnreadable(name, stat(path));
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

async function orUnreadable<T>(name: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new CliError(code === 'ENOENT' ? 'send.missing' : 'send.unreadable', { name: shownName(name), code });
  }
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
