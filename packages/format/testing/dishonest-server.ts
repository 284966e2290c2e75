// What a dishonest server can change, and what each client must do about it: one table for all clients. The page has three
// files of several chunks each, and a list with a title. `other` is the page of another upload on the same server.
import type { Tampering } from '../src/errors.ts';
import type { ListedFile } from '../src/page.ts';

export interface ServedPage {
  files: readonly ListedFile[];
  list?: string | undefined;
}

type Stored = readonly Uint8Array<ArrayBuffer>[];

/**
 * `before`: the page is refused before a download is counted. `during`: the download fails, and no file is saved. `missing`: the
 * page opens, and the client shows how many files are missing.
 */
export type Outcome = { before: Tampering } | { during: 'DECRYPTION_FAILED' | 'NETWORK' } | { missing: number };

export interface Change {
  what: string;
  page?(page: ServedPage, other: ServedPage): ServedPage;
  /** The stored bytes of all files. `chunk` is the length of a sealed chunk. */
  bytes?(stored: Stored, other: Stored, chunk: number): Stored;
  outcome: Outcome;
}

const first =
  (change: (file: ListedFile, page: ServedPage, other: ServedPage) => Partial<ListedFile>) =>
  (page: ServedPage, other: ServedPage): ServedPage => {
    const [file = NO_FILE] = page.files;
    return { ...page, files: page.files.with(0, { ...file, ...change(file, page, other) }) };
  };

const last =
  (change: (file: ListedFile, other: ListedFile) => Partial<ListedFile>) =>
  (page: ServedPage, other: ServedPage): ServedPage => ({
    ...page,
    files: page.files.map((file, index) =>
      index === page.files.length - 1 ? { ...file, ...change(file, other.files[0] ?? NO_FILE) } : file,
    ),
  });

const all =
  (change: (file: ListedFile, other: ListedFile) => Partial<ListedFile>) =>
  (page: ServedPage, other: ServedPage): ServedPage => ({
    ...page,
    files: page.files.map((file, index) => ({ ...file, ...change(file, other.files[index] ?? NO_FILE) })),
  });

/** Only for the types: each page has three files. */
const NO_FILE: ListedFile = { id: '', format: 2, isEncrypted: true, fileName: '', fileSize: 1, chunkSize: 1 };
const NEW_ID = 'A'.repeat(22);
const UNSEALED = { salt: undefined, pageSalt: undefined, keyCheck: undefined, details: undefined };

const cut = (text = '') => text.slice(0, -8);
const flip = (bytes: Uint8Array<ArrayBuffer>, at: number) => bytes.with(at, (bytes[at] ?? 0) ^ 1);
const firstStored =
  (change: (bytes: Uint8Array<ArrayBuffer>, chunk: number) => Uint8Array<ArrayBuffer>) =>
  (stored: Stored, _other: Stored, chunk: number): Stored =>
    stored.with(0, change(stored[0] ?? new Uint8Array(), chunk));

export const CHANGES: readonly Change[] = [
  // Rename
  { what: 'another name', page: first(() => ({ fileName: 'evil.exe' })), outcome: { before: 'nameChanged' } },
  {
    what: 'a number for a name, as if the names were hidden',
    page: first(() => ({ fileName: 'file-1' })),
    outcome: { before: 'nameChanged' },
  },

  // Swap
  {
    what: 'the names of two files swapped',
    page: ({ files: [a = NO_FILE, b = NO_FILE, ...rest], list }) => ({
      files: [{ ...a, fileName: b.fileName }, { ...b, fileName: a.fileName }, ...rest],
      list,
    }),
    outcome: { before: 'nameChanged' },
  },
  {
    what: 'another order',
    page: (page) => ({ ...page, files: page.files.toReversed() }),
    outcome: { before: 'orderChanged' },
  },
  {
    what: 'two neighbours in another order',
    page: ({ files: [a = NO_FILE, b = NO_FILE, ...rest], list }) => ({ files: [b, a, ...rest], list }),
    outcome: { before: 'orderChanged' },
  },
  {
    what: 'the details of two files swapped',
    page: ({ files: [a = NO_FILE, b = NO_FILE, ...rest], list }) => ({
      files: [{ ...a, details: b.details }, { ...b, details: a.details }, ...rest],
      list,
    }),
    outcome: { before: 'detailsChanged' },
  },
  {
    what: 'the salts of two files swapped',
    page: ({ files: [a = NO_FILE, b = NO_FILE, ...rest], list }) => ({
      files: [{ ...a, salt: b.salt }, { ...b, salt: a.salt }, ...rest],
      list,
    }),
    outcome: { before: 'detailsChanged' },
  },
  {
    what: 'the bytes of two files swapped',
    bytes: ([a = new Uint8Array(), b = new Uint8Array(), ...rest]) => [b, a, ...rest],
    outcome: { during: 'DECRYPTION_FAILED' },
  },
  {
    what: 'two chunks swapped',
    bytes: firstStored((bytes, chunk) =>
      Uint8Array.from([...bytes.slice(chunk, 2 * chunk), ...bytes.slice(0, chunk), ...bytes.slice(2 * chunk)]),
    ),
    outcome: { during: 'DECRYPTION_FAILED' },
  },

  // Drop
  { what: 'a file dropped', page: (page) => ({ ...page, files: page.files.slice(1) }), outcome: { missing: 1 } },
  {
    what: 'a chunk dropped',
    bytes: firstStored((bytes, chunk) => Uint8Array.from([...bytes.slice(0, chunk), ...bytes.slice(2 * chunk)])),
    outcome: { during: 'DECRYPTION_FAILED' },
  },

  // Add
  {
    what: 'a file of another upload added',
    page: (page, other) => ({ ...page, files: [...page.files, other.files[0] ?? NO_FILE] }),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'a file of another upload added before the others',
    page: (page, other) => ({ ...page, files: [other.files[0] ?? NO_FILE, ...page.files] }),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'a file twice',
    page: (page) => ({ ...page, files: [...page.files, { ...(page.files[0] ?? NO_FILE), id: NEW_ID }] }),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'a file twice, without the list',
    page: ({ files }) => ({ files: [...files, { ...(files[0] ?? NO_FILE), id: NEW_ID }] }),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'a file of format 1 added',
    page: (page) => ({ ...page, files: [...page.files, { ...(page.files[0] ?? NO_FILE), id: NEW_ID, format: 1 }] }),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'a file added that is not encrypted',
    page: (page) => ({
      ...page,
      files: [...page.files, { ...(page.files[0] ?? NO_FILE), ...UNSEALED, id: NEW_ID, format: 1, isEncrypted: false }],
    }),
    outcome: { before: 'notEncrypted' },
  },

  // Strip
  { what: 'no list', page: ({ files }) => ({ files }), outcome: { missing: 0 } },
  { what: 'no list, and a file dropped', page: ({ files }) => ({ files: files.slice(1) }), outcome: { missing: 1 } },
  {
    what: 'no list, and all but one file dropped',
    page: ({ files }) => ({ files: files.slice(2) }),
    outcome: { missing: 2 },
  },
  { what: 'no details', page: first(() => ({ details: undefined })), outcome: { before: 'detailsChanged' } },
  { what: 'no salt', page: first(() => ({ salt: undefined })), outcome: { before: 'detailsChanged' } },
  { what: 'no key check', page: first(() => ({ keyCheck: undefined })), outcome: { before: 'encryptionChanged' } },
  { what: 'no page salt', page: all(() => ({ pageSalt: undefined })), outcome: { before: 'encryptionChanged' } },

  // Downgrade
  {
    what: 'nothing encrypted',
    page: ({ files }) => ({
      files: files.map((file) => ({ ...file, ...UNSEALED, format: 1 as const, isEncrypted: false })),
    }),
    outcome: { before: 'notEncrypted' },
  },
  {
    what: 'one file not encrypted',
    page: first(() => ({ ...UNSEALED, format: 1, isEncrypted: false })),
    outcome: { before: 'notEncrypted' },
  },
  {
    what: 'nothing encrypted, with all that was sealed',
    page: all(() => ({ isEncrypted: false })),
    outcome: { before: 'notEncrypted' },
  },
  { what: 'format 1', page: all(() => ({ format: 1 })), outcome: { before: 'encryptionChanged' } },
  {
    what: 'format 1, without what it does not have',
    page: ({ files }) => ({
      files: files.map((file) => ({ ...file, format: 1 as const, pageSalt: undefined, details: undefined })),
    }),
    outcome: { before: 'encryptionChanged' },
  },

  // Replay, from another upload
  {
    what: 'details of another upload',
    page: first((_file, _page, other) => ({ details: other.files[0]?.details })),
    outcome: { before: 'detailsChanged' },
  },
  {
    what: 'the list of another upload',
    page: ({ files }, other) => ({ files, list: other.list }),
    outcome: { before: 'listChanged' },
  },
  {
    what: 'the bytes of another upload',
    bytes: (stored, other) => stored.with(0, other[0] ?? new Uint8Array()),
    outcome: { during: 'DECRYPTION_FAILED' },
  },
  {
    what: 'a chunk twice',
    bytes: firstStored((bytes, chunk) => bytes.slice().copyWithin(chunk, 0, chunk)),
    outcome: { during: 'DECRYPTION_FAILED' },
  },

  // Truncate
  {
    what: 'details cut',
    page: first(({ details }) => ({ details: cut(details) })),
    outcome: { before: 'detailsChanged' },
  },
  { what: 'a list cut', page: ({ files, list }) => ({ files, list: cut(list) }), outcome: { before: 'listChanged' } },
  { what: 'bytes cut', bytes: firstStored((bytes) => bytes.slice(0, -1)), outcome: { during: 'NETWORK' } },

  // Exchange
  {
    what: 'another key check of one file',
    page: first((_file, _page, other) => ({ keyCheck: other.files[0]?.keyCheck })),
    outcome: { before: 'encryptionChanged' },
  },
  {
    what: 'another key check of all files',
    page: all((_file, other) => ({ keyCheck: other.keyCheck })),
    outcome: { before: 'encryptionChanged' },
  },
  {
    what: 'another key check of all files, and no list',
    page: (page, other) => ({ ...all((_file, { keyCheck }) => ({ keyCheck }))(page, other), list: undefined }),
    outcome: { before: 'encryptionChanged' },
  },
  {
    what: 'another page salt of one file',
    page: first((_file, _page, other) => ({ pageSalt: other.files[0]?.pageSalt })),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'another key check of the last file',
    page: last((_file, other) => ({ keyCheck: other.keyCheck })),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'another page salt of the last file',
    page: last((_file, other) => ({ pageSalt: other.pageSalt })),
    outcome: { before: 'fileAdded' },
  },
  {
    what: 'one bit',
    bytes: firstStored((bytes) => flip(bytes, bytes.length - 1)),
    outcome: { during: 'DECRYPTION_FAILED' },
  },

  // Resize
  {
    what: 'another size',
    page: first(({ fileSize }) => ({ fileSize: fileSize - 1 })),
    outcome: { before: 'sizeChanged' },
  },
  {
    what: 'other chunks',
    page: first(({ chunkSize }) => ({ chunkSize: chunkSize + 1 })),
    outcome: { before: 'sizeChanged' },
  },
];
