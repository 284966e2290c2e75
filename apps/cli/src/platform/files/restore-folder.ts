// Restores a folder from its archive: files, times, permissions and links. The archive comes from a stranger, and goes into a new
// folder: nothing is written outside of it, nothing is replaced, and links are made last, so that nothing is written through them.
import {
  chmodSync,
  closeSync,
  fdatasync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createFolderReader,
  createRestoredPaths,
  foldedPath,
  type FolderEntry,
  type FolderFacts,
  KB,
  staysInside,
} from '@furoshiki/format';

/** Also limits how many files are open at the same time: each takes a block for its header and one for its content. */
const PIECE_BYTES = 128 * KB;

export interface Restoring {
  /** The path of the archive. It is complete. */
  archive: string;
  facts: FolderFacts;
  /** An empty folder that no other program knows. */
  into: string;
  makesLinks: boolean;
  onProgress: () => void;
  platform?: NodeJS.Platform;
}

/** A link that was not made. */
export interface LinkLeftOut {
  /** Within the folder. */
  path: string;
  reason: 'link' | 'linkOutside';
}

/** Returns the links that were not made. Throws FOLDER_INVALID if the archive is not what it should be. */
export async function restoreFolder(restoring: Restoring): Promise<LinkLeftOut[]> {
  const { archive, facts, into, makesLinks, onProgress, platform = process.platform } = restoring;
  const mask = ~process.umask() & 0o777;
  // Only macOS and Windows ignore case, and only Windows cannot store all names.
  const pathOf = createRestoredPaths(platform !== 'win32' && platform !== 'darwin');
  const folders: { path: string; entry: FolderEntry }[] = [];
  const links: { path: string; entry: FolderEntry }[] = [];
  let current: { fd: number; entry: FolderEntry } | undefined;
  let unsynced: number[] = [];

  function endFile(): void {
    if (!current) return;
    const { fd, entry } = current;
    current = undefined;
    unsynced.push(fd);
    futimesSync(fd, new Date(), entry.modifiedAt);
  }

  /** After a crash the archive would be gone, and the download used up. */
  async function syncFiles(): Promise<void> {
    const fds = unsynced;
    unsynced = [];
    try {
      await Promise.all(fds.map((fd) => sync(fd)));
    } finally {
      for (const fd of fds) closeSync(fd);
    }
  }

  const reader = createFolderReader(facts, {
    entry(entry) {
      endFile();
      const path = pathOf(entry);
      if (entry.kind === 'link') links.push({ path, entry });
      else if (entry.kind === 'file') current = { fd: openSync(join(into, path), 'wx', entry.mode), entry };
      else {
        // Its own permissions come last: they may forbid to write into it.
        if (folders.length > 0) mkdirSync(join(into, path), 0o700);
        folders.push({ path, entry });
      }
    },
    content(bytes) {
      for (let at = 0; at < bytes.length; ) at += writeSync(current?.fd ?? -1, bytes, at);
    },
  });

  try {
    const file = await open(archive, 'r');
    try {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(piece, 0, piece.length);
        if (bytesRead === 0) break;
        reader.add(piece.subarray(0, bytesRead));
        await syncFiles();
        onProgress();
      }
    } finally {
      await file.close();
    }
    endFile();
    reader.finish();
    await syncFiles();
  } finally {
    for (const fd of [...unsynced, ...(current ? [current.fd] : [])]) closeSync(fd);
  }
  const leftOut = makeLinks(into, links, makesLinks);
  for (const { path, entry } of folders.toReversed()) {
    utimesSync(join(into, path), new Date(), entry.modifiedAt);
    chmodSync(join(into, path), entry.mode & mask);
  }
  return leftOut;
}

const sync = promisify(fdatasync);

function makeLinks(
  into: string,
  links: readonly { path: string; entry: FolderEntry }[],
  makesLinks: boolean,
): LinkLeftOut[] {
  // With the folder itself, so that a link that leads above it is noticed.
  const all = new Set(links.map(({ path }) => foldedPath(`./${path}`)));
  const leftOut: LinkLeftOut[] = [];
  for (const { path, entry } of links) {
    const isInside = staysInside(`./${path}`, entry.target, (at) => all.has(foldedPath(at)));
    const reason = isInside ? 'link' : 'linkOutside';
    if (!makesLinks || !isInside || !madeLink(join(into, path), entry)) leftOut.push({ path: entry.path, reason });
  }
  return leftOut;
}

function madeLink(path: string, { target, modifiedAt }: FolderEntry): boolean {
  try {
    symlinkSync(target, path);
    lutimesSync(path, new Date(), modifiedAt);
    return true;
  } catch (error) {
    // Windows, and file systems without links.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return false;
    throw error;
  }
}
