// Names that are safe to save under. What a system can take stays as it is, to the last character.

/** Windows gives these to devices, whatever extension follows. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
/** Control characters, and those that turn the direction of what follows: they make an .exe look like a .txt. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One name in one folder. */
export function safeFileName(name: string): string {
  return safeSegment(name.replaceAll(/[/\\]/gu, '_'));
}

/** As a name is shown: like what it is saved under, so that none looks like another. */
export function shownName(name: string): string {
  return name.replaceAll(INVISIBLE, '_');
}

/** A path below the folder of an archive: its folders stay, and nothing leads out of it. */
export function safePath(name: string): string {
  // A colon names a drive, or a second file behind the first.
  const parts = name.replaceAll(':', '_').split(/[/\\]/u);
  const segments = parts.filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? '_' : segments.map(safeSegment).join('/');
}

/** The same paths in the same order, no two of them alike on a system that takes A for a. */
export function distinctPaths(paths: readonly string[]): string[] {
  const taken = new Set<string>();
  /** From where on numbers are free, or a thousand files of one name would try half a million of them. */
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

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function numbered(path: string, number: number): string {
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]+)$/su.exec(path) ?? [];
  return `${stem} (${number})${extension}`;
}

function safeSegment(segment: string): string {
  // A dot or a space at the end is dropped by Windows, and two names would become one.
  const visible = shownName(segment).replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return RESERVED.test(visible) || visible === '' ? `_${visible}` : visible;
}
