// What is in the archive of a folder: read once from its first to its last byte, with the checksum of every file.
import { createArchivePaths, createFolderReader, type FolderFacts, MB, shownName } from '@furoshiki/format';
import type { PartSource } from '../../ports.ts';
import { crc32 } from '../zip/crc32.ts';
import type { ZipEntry } from '../zip/zip-format.ts';

export interface FolderFile extends ZipEntry {
  crc32: number;
  /** Where its content begins in the archive. */
  startsAt: number;
}

export interface FolderContents {
  /** In the order of the archive. Their paths are safe, distinct, and begin with the folder. */
  files: readonly FolderFile[];
  /** With nothing in them. */
  emptyFolders: readonly ZipEntry[];
  /** The symbolic links, as the sender has named them. A browser cannot make any. */
  links: readonly string[];
}

interface ContentsReader {
  /** Takes the next bytes of the archive. */
  add(bytes: Uint8Array<ArrayBuffer>): void;
  /** Call after the last byte. */
  finish(): FolderContents;
}

interface ContentsVisitor {
  /** Its checksum is known when the next file comes, or after `finish`. */
  file(file: FolderFile): void;
  /** The next bytes of the last file. */
  content(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Both methods throw FOLDER_INVALID, as those of `createFolderReader`. */
export function createContentsReader(facts: FolderFacts, visitor?: ContentsVisitor): ContentsReader {
  const pathOf = createArchivePaths();
  const files: FolderFile[] = [];
  const links: string[] = [];
  /** By the path in the archive. A folder is removed when something comes that is in it. */
  const emptyFolders = new Map<string, ZipEntry>();
  let readBytes = 0;
  const reader = createFolderReader(facts, {
    entry(entry) {
      const { kind, path, size, mode, modifiedAt: modifiedAtSeconds } = entry;
      if (kind === 'link') return void links.push(shownName(path));
      emptyFolders.delete(path.slice(0, path.lastIndexOf('/')));
      const placed = { path: pathOf(entry), size, modifiedAtSeconds };
      if (kind === 'folder') return void emptyFolders.set(path, { ...placed, path: `${placed.path}/` });
      const file = { ...placed, isExecutable: (mode & OWNER_CAN_RUN) !== 0, crc32: 0, startsAt: 0 };
      files.push(file);
      visitor?.file(file);
    },
    content(bytes, at) {
      const file = files.at(-1) as FolderFile;
      if (file.startsAt === 0) file.startsAt = readBytes + at;
      file.crc32 = crc32(bytes, file.crc32);
      visitor?.content(bytes);
    },
  });
  return {
    add(bytes) {
      reader.add(bytes);
      readBytes += bytes.length;
    },
    finish() {
      reader.finish();
      return { files, emptyFolders: [...emptyFolders.values()], links };
    },
  };
}

const OWNER_CAN_RUN = 0o100;

/** Large enough to be fast. Two of them are in memory at a time. */
const PIECE_BYTES = 4 * MB;

export interface FolderToRead {
  /** It is complete. */
  archive: PartSource & { size: number };
  facts: FolderFacts;
}

/** Throws FOLDER_INVALID. */
export async function readFolderContents({ archive, facts }: FolderToRead): Promise<FolderContents> {
  const reader = createContentsReader(facts);
  for (let at = 0; at < archive.size; at += PIECE_BYTES) {
    const bytes = await archive.slice(at, Math.min(at + PIECE_BYTES, archive.size)).arrayBuffer();
    reader.add(new Uint8Array(bytes));
  }
  return reader.finish();
}
