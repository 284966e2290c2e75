// The paths of files in an archive. In a file of its own, so that the home screen does not load it.
import { safeSegment } from './file-name.ts';

/** Returns a path inside of an archive. Folders stay, but no path leads out of the archive. */
export function safePath(name: string): string {
  // Windows cannot store these. There a colon names a drive or an alternate data stream, and a backslash a folder;
  // senders' folders have slashes.
  const parts = name.replaceAll(/[:\\?*|<>"]/gu, '_').split('/');
  const segments = parts.filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? '_' : segments.map(safeSegment).join('/');
}

/** Makes paths distinct, also from folders and on systems that ignore case. Keeps their order. */
export function distinctPaths(paths: readonly string[]): string[] {
  // A file cannot have the name of a folder: one of them could not be extracted.
  const taken = new Set(paths.flatMap(foldersOf).map(fold));
  /** The next free number of each path, so that a thousand equal names need no half million attempts. */
  const nextNumber = new Map<string, number>();
  return paths.map((path) => {
    const folded = fold(path);
    let distinct = path;
    let number = nextNumber.get(folded) ?? 2;
    for (; taken.has(fold(distinct)); number += 1) distinct = numbered(path, number);
    nextNumber.set(folded, number);
    taken.add(fold(distinct));
    return distinct;
  });
}

/** Returns `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function numbered(path: string, number: number): string {
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]+)$/su.exec(path) ?? [];
  return `${stem} (${number})${extension}`;
}
