// Makes paths safe to extract, and distinct on every system. Apart from names.ts, which home loads before its first paint.
import { safeSegment } from './names.ts';

/**
 * The name of a file or folder, in UTF-8: 255, less the five of `.part`, which the command line client adds while it receives.
 * Windows allows 255 UTF-16 units, which is never less.
 */
const MAX_NAME_BYTES = 250;

/**
 * Returns a path inside of an archive. Folders stay, but no path leads out of the archive.
 *
 * Its first part does not begin with a dot or a dash: `unzip` in a home folder would write `.bash_profile` or `.ssh` there without
 * a question. Browsers change the name of a single file in the same way. The names below it stay: a person who downloads a project
 * expects its `.gitignore`, and extracts it into a folder that has no settings of other programs.
 */
export function safePath(name: string): string {
  const [first = '', ...rest] = safeSegments(name);
  return [visible(first), ...rest].join('/');
}

/**
 * As `safePath`, for a program that writes the file itself, without showing its name before: no part begins with a dot or a dash.
 * A hidden file can be the settings of another program (`src/.git/hooks`), and one with a dash is an option in `rm *`.
 */
export function visiblePath(name: string): string {
  return safeSegments(name).map(visible).join('/');
}

/** Returns a name that every system can store. Unlike `safeFileName` it may begin with a dot, and is shortened. */
export function safeName(name: string): string {
  return safeSegments(name.replaceAll('/', '_'))[0] ?? '_';
}

function visible(segment: string): string {
  return segment.replace(/^[.-]+/u, (start) => '_'.repeat(start.length));
}

function safeSegments(name: string): string[] {
  // Windows cannot store these. There a colon names a drive or an alternate data stream, and a backslash a folder;
  // senders' folders have slashes.
  // A lone surrogate has no UTF-8: all of them become the same character.
  const parts = name
    .toWellFormed()
    .replaceAll(/[:\\?*|<>"]/gu, '_')
    .split('/');
  const segments = parts.filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? ['_'] : segments.map((segment) => safeSegment(shortened(segment)));
}

/** Makes paths distinct, also from folders and on systems that ignore case. Keeps their order. */
export function distinctPaths(paths: readonly string[]): string[] {
  // A file cannot have the name of a folder: one of them could not be extracted.
  const taken = new Set(paths.flatMap(foldersOf).map(foldedPath));
  /** The next free number of each path, so that a thousand equal names need no half million attempts. */
  const nextNumber = new Map<string, number>();
  return paths.map((path) => {
    const folded = foldedPath(path);
    let distinct = path;
    let number = nextNumber.get(folded) ?? 2;
    for (; taken.has(foldedPath(distinct)); number += 1) distinct = numberedPath(path, number);
    nextNumber.set(folded, number);
    taken.add(foldedPath(distinct));
    return distinct;
  });
}

/** Returns `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

/**
 * Returns the same for paths that are one file on systems that ignore case. Both cases, because each alone keeps some letters
 * apart that systems take for the same: ς and σ, ß and ss.
 */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase();
}

/** Inserts a number before the extension of the last name. */
export function numberedPath(path: string, number: number): string {
  const nameAt = path.lastIndexOf('/') + 1;
  return path.slice(0, nameAt) + shortened(path.slice(nameAt), ` (${number})`);
}

/** Inserts a mark before the extension, and shortens what is before both to what every system can store. */
function shortened(name: string, mark = ''): string {
  const [, stem = name, extension = ''] = /^(.+)(\.[^.]{1,32})$/su.exec(name) ?? [];
  let remainingBytes = MAX_NAME_BYTES - utf8Length(mark + extension);
  let kept = '';
  for (const character of stem) {
    remainingBytes -= utf8Length(character);
    if (remainingBytes < 0) break;
    kept += character;
  }
  return kept + mark + extension;
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
