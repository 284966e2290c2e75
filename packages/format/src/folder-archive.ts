// A folder as one file: a tar archive of folders, files and symbolic links. docs/FORMAT.md says what it may contain.
// No library: those for tar read and write files themselves, and accept far more than a folder of a stranger should contain.
import * as z from 'zod/mini';
import { FormatError } from './errors.ts';
import { MAX_FILE_NAME_LENGTH } from './limits.ts';

/** Of files, folders and links together. */
export const MAX_FOLDER_ENTRIES = 1_000_000;
export const FOLDER_SUFFIX = '.tar';
export const FOLDER_CONTENT_TYPE = 'application/x-tar';

const BLOCK_BYTES = 512;
const COUNT = z.int().check(z.minimum(0), z.maximum(MAX_FOLDER_ENTRIES));

/** What is in a folder. It is sealed with the name, so it is known before anything is downloaded. */
export const folderFacts = z.object({
  files: COUNT,
  /** With the folder itself. */
  folders: COUNT.check(z.minimum(1)),
  links: COUNT,
  /** Of all files. */
  bytes: z.int().check(z.minimum(0)),
});
export type FolderFacts = z.infer<typeof folderFacts>;

export interface FolderEntry {
  kind: 'file' | 'folder' | 'link';
  /** Begins with the name of the folder. */
  path: string;
  /** 0 unless it is a file. */
  size: number;
  /** Permissions. Readers decide which of them they restore. */
  mode: number;
  /** Epoch seconds. */
  modifiedAt: number;
  /** Where a link leads to. Empty otherwise. */
  target: string;
}

export function factsOf(entries: readonly Pick<FolderEntry, 'kind' | 'size'>[]): FolderFacts {
  const count = (wanted: FolderEntry['kind']) => entries.filter(({ kind }) => kind === wanted).length;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return { files: count('file'), folders: count('folder'), links: count('link'), bytes };
}

/** After the content of a file there are zeros, up to a whole block. */
export const paddingAfter = (size: number): number => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** After the last entry. */
export const ARCHIVE_END_BYTES = 2 * BLOCK_BYTES;

const TYPES = { file: '0', link: '2', folder: '5' } as const;
const EXTENDED = 'x';
const MAX_OCTAL = 0o77777777777;
/** Of a name, and of the target of a link. */
const NAME_BYTES = 100;

const encoder = new TextEncoder();

/** What comes before the content of an entry. */
export function entryHeader({ kind, path, size, mode, modifiedAt, target }: FolderEntry): Uint8Array<ArrayBuffer> {
  const name = kind === 'folder' ? `${path}/` : path;
  const isNumber = (value: number) => value >= 0 && value <= MAX_OCTAL;
  const records = [
    ...(fitsName(name) ? [] : [record('path', name)]),
    ...(fitsName(target) ? [] : [record('linkpath', target)]),
    ...(isNumber(size) ? [] : [record('size', String(size))]),
    ...(isNumber(modifiedAt) ? [] : [record('mtime', String(modifiedAt))]),
  ];
  const block = ustar({
    name: fitsName(name) ? name : '_',
    type: TYPES[kind],
    mode: mode & 0o777,
    size: isNumber(size) ? size : 0,
    modifiedAt: isNumber(modifiedAt) ? modifiedAt : 0,
    target: fitsName(target) ? target : '_',
  });
  if (records.length === 0) return block;
  const extended = encoder.encode(records.join(''));
  const whole = new Uint8Array(2 * BLOCK_BYTES + extended.length + paddingAfter(extended.length));
  const { length } = extended;
  whole.set(ustar({ name: '_', type: EXTENDED, mode: 0o644, size: length, modifiedAt: 0, target: '' }));
  whole.set(extended, BLOCK_BYTES);
  whole.set(block, whole.length - BLOCK_BYTES);
  return whole;
}

/** Other names are in a record before the header: fields have no encoding. */
const fitsName = (name: string): boolean => name.length <= NAME_BYTES && /^[\u0020-\u007e]*$/u.test(name);

/** Begins with its own length. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const { length } = encoder.encode(rest);
  let digits = 1;
  while (String(length + digits).length > digits) digits += 1;
  return `${length + digits}${rest}`;
}

interface Header {
  name: string;
  type: string;
  mode: number;
  size: number;
  modifiedAt: number;
  target: string;
}

function ustar({ name, type, mode, size, modifiedAt, target }: Header): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const write = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  write(0, name);
  write(100, octal(mode, 7));
  // Nothing about the user who sends it.
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
  write(136, octal(modifiedAt, 11));
  write(148, ' '.repeat(8));
  write(156, type);
  write(157, target);
  write(257, 'ustar\u{0}00');
  write(148, `${octal(sumOf(block), 6)}\u{0}`);
  return block;
}

const sumOf = (block: Uint8Array): number => block.reduce((sum, byte) => sum + byte, 0);

export interface FolderVisitor {
  /** A folder comes before what is in it, and no path comes twice. */
  entry(entry: FolderEntry): void;
  /** The next bytes of the last file, and where they are in the bytes that were added. */
  content(bytes: Uint8Array<ArrayBuffer>, at: number): void;
}

export interface FolderReader {
  /** Takes the next bytes of the archive. */
  add(bytes: Uint8Array<ArrayBuffer>): void;
  /** Call after the last byte. */
  finish(): void;
}

/** Both methods throw FOLDER_INVALID if it is not an archive of a folder with these facts. */
export function createFolderReader(facts: FolderFacts, visitor: FolderVisitor): FolderReader {
  const left = { ...facts };
  const folders = new Set<string>();
  const paths = new Set<string>();
  const block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  /** Of the content of an entry, and after it. */
  let remaining = 0;
  let padding = 0;
  let extended: Uint8Array | undefined;
  let records = new Map<string, string>();
  let isEnded = false;

  function begin(header: Header): void {
    if (header.type === EXTENDED) {
      if (records.size > 0 || header.size > MAX_EXTENDED_BYTES) throw invalid();
      extended = new Uint8Array(header.size);
      remaining = header.size;
      padding = paddingAfter(remaining);
      if (remaining === 0) endContent();
      return;
    }
    const entry = entryOf(header, records);
    records = new Map();
    const { kind, path, size } = entry;
    checkPath(path, folders);
    if (paths.has(path)) throw invalid();
    paths.add(path);
    if (kind === 'folder') folders.add(path);
    const counted = kind === 'file' ? 'files' : kind === 'folder' ? 'folders' : 'links';
    left[counted] -= 1;
    left.bytes -= size;
    if (left[counted] < 0 || left.bytes < 0) throw invalid();
    remaining = size;
    padding = paddingAfter(size);
    visitor.entry(entry);
  }

  function endContent(): void {
    if (!extended) return;
    records = parseRecords(extended);
    extended = undefined;
  }

  function take(bytes: Uint8Array<ArrayBuffer>, at: number): void {
    if (extended) extended.set(bytes, extended.length - remaining);
    else visitor.content(bytes, at);
    remaining -= bytes.length;
    if (remaining === 0) endContent();
  }

  function takeBlock(): void {
    const isEmpty = block.every((byte) => byte === 0);
    if (isEnded && !isEmpty) throw invalid();
    isEnded = isEmpty;
    if (!isEmpty) begin(parseHeader(block));
  }

  return {
    add(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const rest = bytes.length - at;
        if (remaining > 0) {
          const length = Math.min(rest, remaining);
          take(bytes.subarray(at, at + length), at);
          at += length;
        } else if (padding > 0) {
          const length = Math.min(rest, padding);
          padding -= length;
          at += length;
        } else {
          const length = Math.min(rest, BLOCK_BYTES - filled);
          block.set(bytes.subarray(at, at + length), filled);
          filled += length;
          at += length;
          if (filled < BLOCK_BYTES) continue;
          filled = 0;
          takeBlock();
        }
      }
    },
    finish() {
      const isComplete = isEnded && filled === 0 && records.size === 0;
      if (!isComplete || Object.values(left).some((count) => count !== 0)) throw invalid();
    },
  };
}

/** A path and a target of the longest names, and two numbers. */
const MAX_EXTENDED_BYTES = 16_384;

const invalid = (): FormatError => new FormatError('FOLDER_INVALID');

function entryOf({ name, type, mode, size, modifiedAt, target }: Header, records: Map<string, string>): FolderEntry {
  const kind = KINDS.get(type);
  const number = (key: string, value: number) => {
    const text = records.get(key);
    if (text === undefined) return value;
    if (!/^-?\d{1,16}(?:\.\d+)?$/u.test(text)) throw invalid();
    return Math.floor(Number(text));
  };
  const whole = records.get('path') ?? name;
  const entry = {
    // Some programs write a slash after the name of a folder, and some do not.
    path: kind === 'folder' ? whole.replace(/\/$/u, '') : whole,
    size: number('size', size),
    mode: mode & 0o777,
    modifiedAt: number('mtime', modifiedAt),
    target: kind === 'link' ? (records.get('linkpath') ?? target) : '',
  };
  const hasSize = kind === 'file' ? Number.isSafeInteger(entry.size) && entry.size >= 0 : entry.size === 0;
  const hasTarget = kind !== 'link' || isText(entry.target);
  if (!kind || !hasSize || !hasTarget || !Number.isSafeInteger(entry.modifiedAt)) throw invalid();
  return { kind, ...entry };
}

const KINDS = new Map<string, FolderEntry['kind']>([
  ['0', 'file'],
  ['2', 'link'],
  ['5', 'folder'],
]);

const isText = (text: string) => text !== '' && text.length <= MAX_FILE_NAME_LENGTH && !text.includes('\0');

/** The first entry is the folder. All others are in a folder that came before. */
function checkPath(path: string, folders: ReadonlySet<string>): void {
  const segments = path.split('/');
  const isLeading = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  const parent = segments.slice(0, -1).join('/');
  const hasParent = folders.size === 0 ? parent === '' : folders.has(parent);
  if (isLeading || !hasParent || !isText(path)) throw invalid();
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalid();
  }
}

function parseHeader(block: Uint8Array): Header {
  const field = (at: number, length: number) => {
    const bytes = block.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return textOf(end === -1 ? bytes : bytes.subarray(0, end));
  };
  const octal = (at: number, length: number) => {
    const text = field(at, length).trim();
    if (!/^[0-7]{1,11}$/u.test(text)) throw invalid();
    return Number.parseInt(text, 8);
  };
  const prefix = field(345, 155);
  const name = field(0, NAME_BYTES);
  const sum = sumOf(block) - sumOf(block.subarray(148, 156)) + 8 * 0x20;
  if (field(257, 6) !== 'ustar' || octal(148, 8) !== sum) throw invalid();
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: field(156, 1),
    mode: octal(100, 8),
    size: octal(124, 12),
    modifiedAt: octal(136, 12),
    target: field(157, NAME_BYTES),
  };
}

function parseRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? '' : textOf(bytes.subarray(at, space));
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,5}$/u.test(digits) || end > bytes.length || bytes[end - 1] !== 0x0a) throw invalid();
    const [, key, value = ''] = /^([^=]+)=(.*)$/su.exec(textOf(bytes.subarray(space + 1, end - 1))) ?? [];
    if (key === undefined) throw invalid();
    records.set(key, value);
    at = end;
  }
  return records;
}

/**
 * Whether a link leads to something in the folder, whatever else is there: no link on its way is followed, because that could
 * lead anywhere. `isLink`: whether this path is one of a link.
 */
export function staysInside(path: string, target: string, isLink: (path: string) => boolean): boolean {
  // Absolute, or such on Windows.
  if (/^\/|[\\:]/u.test(target)) return false;
  const at = path.split('/').slice(0, -1);
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  for (const [index, step] of steps.entries()) {
    if (step === '..') at.pop();
    else at.push(step);
    if (at.length === 0) return false;
    if (index < steps.length - 1 && isLink(at.join('/'))) return false;
  }
  return true;
}
