// Makes file names safe to save. A name that every system accepts stays unchanged.

/** Device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
/** Control characters, and those that change the text direction, which can make an .exe look like a .txt. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** The same without the marks U+061C, U+200E and U+200F, which names in Arabic and Hebrew may contain. */
const REFUSED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Returns false for a name that no server accepts. Clients replace such characters: see `shownName`. */
export function isAcceptedName(name: string): boolean {
  return !REFUSED.test(name);
}

/** Returns a name without folders. */
export function safeFileName(name: string): string {
  return safeSegment(name.replaceAll(/[/\\]/gu, '_'));
}

/** Returns a name for display, without invisible characters, so that it does not look like another one. */
export function shownName(name: string): string {
  return name.replaceAll(INVISIBLE, '_');
}

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

function safeSegment(segment: string): string {
  // Windows drops dots and spaces at the end, so two names could become one.
  const visible = shownName(segment).replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return RESERVED.test(visible) || visible === '' ? `_${visible}` : visible;
}
