// Turns the archive of a folder into a ZIP while it arrives, for ways of saving that cannot read it again.
import { type FolderFacts, MB } from '@furoshiki/format';
import type { FileSink } from '../../ports.ts';
import { joinWrites } from '../zip/join-writes.ts';
import { centralDirectory, dataDescriptor, localHeader, type WrittenEntry, type ZipEntry } from '../zip/zip-format.ts';
import { createContentsReader, type FolderContents, type FolderFile } from './folder-contents.ts';

/** Read and written at a time. */
const PIECE_BYTES = MB;

/** Takes the archive and writes the ZIP into `sink`. Throws FOLDER_INVALID before the end of the ZIP is written. */
export function createZippedFolder(
  sink: FileSink,
  facts: FolderFacts,
  onComplete: (contents: FolderContents) => void,
): FileSink {
  const joined = joinWrites(sink.write);
  const written: WrittenEntry[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  let current: { file: FolderFile; offset: number } | undefined;
  const push = (bytes: Uint8Array<ArrayBuffer>) => {
    pieces.push(bytes);
    offset += bytes.length;
  };
  const begin = (entry: ZipEntry) => {
    const startsAt = offset;
    push(localHeader(entry));
    return startsAt;
  };
  const end = (entry: ZipEntry, crc32: number, startsAt: number) => {
    push(dataDescriptor(entry, crc32));
    written.push({ ...entry, crc32, offset: startsAt });
  };

  function endFile(): void {
    if (current) end(current.file, current.file.crc32, current.offset);
    current = undefined;
  }

  async function writePieces(): Promise<void> {
    const waiting = pieces;
    pieces = [];
    for (const piece of waiting) await joined.write(piece);
  }

  const reader = createContentsReader(facts, {
    file(file) {
      endFile();
      current = { file, offset: begin(file) };
    },
    // A copy: a sink takes the whole buffer of what it writes.
    content: (bytes) => push(bytes.slice()),
  });

  return {
    startsAt: 0,
    async write(bytes) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        reader.add(bytes.subarray(at, at + PIECE_BYTES));
        await writePieces();
      }
    },
    async finish() {
      const contents = reader.finish();
      endFile();
      for (const folder of contents.emptyFolders) end(folder, 0, begin(folder));
      push(centralDirectory(written, offset));
      await writePieces();
      await joined.flush();
      await sink.finish();
      onComplete(contents);
    },
    // A ZIP cannot be continued from the middle of the archive.
    suspend: sink.discard,
    discard: sink.discard,
  };
}
