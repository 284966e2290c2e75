// A folder as a ZIP: records around ranges of its archive, so that no content is copied.
import { centralDirectory, dataDescriptor, localHeader, type WrittenEntry } from '../zip/zip-format.ts';
import type { FolderContents } from './folder-contents.ts';

/** A range of the archive. */
export interface ArchiveRange {
  start: number;
  end: number;
}

/** Returns the pieces of the ZIP in order: records, and ranges of the archive. */
export function zipOfFolder({ files, emptyFolders }: FolderContents): (Uint8Array<ArrayBuffer> | ArchiveRange)[] {
  const pieces: (Uint8Array<ArrayBuffer> | ArchiveRange)[] = [];
  const written: WrittenEntry[] = [];
  let offset = 0;
  const add = (bytes: Uint8Array<ArrayBuffer>) => {
    pieces.push(bytes);
    offset += bytes.length;
  };
  for (const entry of [...files, ...emptyFolders.map((folder) => ({ ...folder, crc32: 0, startsAt: 0 }))]) {
    const { crc32, size, startsAt } = entry;
    written.push({ ...entry, offset });
    add(localHeader(entry));
    if (size > 0) pieces.push({ start: startsAt, end: startsAt + size });
    offset += size;
    add(dataDescriptor(entry, crc32));
  }
  add(centralDirectory(written, offset));
  return pieces;
}
