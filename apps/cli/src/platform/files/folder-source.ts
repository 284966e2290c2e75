// A folder that is sent as one file: the archive is never written, only read, from the files themselves.
import { createHash } from 'node:crypto';
import {
  ARCHIVE_END_BYTES,
  entryHeader,
  factsOf,
  type FolderEntry,
  type FolderFacts,
  KB,
  paddingAfter,
} from '@furoshiki/format';
import type { Source } from '../parts/part-streams.ts';

/** An entry, and what the content of a file is read from. */
export interface EntryToSend extends FolderEntry {
  /** Undefined unless it is a file. */
  source: Source | undefined;
  /** What must not change while it is sent. */
  modifiedMs: number;
}

export interface FolderToSend {
  facts: FolderFacts;
  size: number;
  source: Source;
  /** The same if a later command sends the same folder, and nothing in it has changed. */
  identity: string;
}

/** Small files are joined: each piece costs a call of the cipher and one of the network. */
const PIECE_BYTES = 512 * KB;
const SMALL_BYTES = 128 * KB;

export function createFolderSource(entries: readonly EntryToSend[]): FolderToSend {
  const hash = createHash('sha256');
  /** Where each entry begins. */
  const starts: number[] = [];
  let size = 0;
  for (const entry of entries) {
    const { source: _, ...facts } = entry;
    hash.update(JSON.stringify(facts));
    starts.push(size);
    size += entryHeader(entry).length + entry.size + paddingAfter(entry.size);
  }
  const end = size;
  return {
    facts: factsOf(entries),
    size: size + ARCHIVE_END_BYTES,
    identity: hash.digest('base64'),
    source: {
      read(from, to) {
        return joined(piecesOf(from, to));
      },
    },
  };

  async function* piecesOf(from: number, to: number): AsyncGenerator<Uint8Array> {
    const first = Math.max(0, lastAtOrBefore(starts, from));
    for (let index = first; index < entries.length && (starts[index] ?? 0) < to; index += 1) {
      const entry = entries[index] as EntryToSend;
      const header = entryHeader(entry);
      let at = starts[index] ?? 0;
      const cut = (length: number): [number, number] => {
        const range: [number, number] = [Math.max(0, from - at), Math.min(length, to - at)];
        at += length;
        return range;
      };
      yield* part(header, cut(header.length));
      const [start, stop] = cut(entry.size);
      if (entry.source && start < stop) yield* entry.source.read(start, stop);
      yield* part(ZEROS, cut(paddingAfter(entry.size)));
    }
    if (to > end) yield ZEROS.subarray(0, to - Math.max(from, end));
  }
}

const ZEROS = new Uint8Array(ARCHIVE_END_BYTES);

function* part(bytes: Uint8Array, [start, stop]: [number, number]): Generator<Uint8Array> {
  if (start < stop) yield bytes.subarray(start, stop);
}

async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let filled = 0;
  for await (const piece of pieces) {
    if (filled > 0 && filled + piece.length > buffer.length) {
      yield buffer.subarray(0, filled);
      filled = 0;
    }
    if (piece.length > SMALL_BYTES) {
      if (filled > 0) yield buffer.subarray(0, filled);
      filled = 0;
      yield piece;
    } else {
      buffer.set(piece, filled);
      filled += piece.length;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** Returns the index of the last number that is not larger, in ascending numbers. */
function lastAtOrBefore(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
