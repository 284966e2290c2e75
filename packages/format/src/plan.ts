// File size -> part size, part count and byte ranges, and the size with padding. One part is one sealed chunk.
import { FormatError } from './errors.ts';
import { GB, MB } from './limits.ts';
import { SEAL_OVERHEAD_BYTES } from './primitives.ts';

const MIN_PART_BYTES = 5 * MB;
/** The chunk size of a file whose page does not name it. */
export const FALLBACK_CHUNK_BYTES = 5 * MB;
export const MAX_PARTS = 9500;
/** No server uses larger chunks: a client holds several of them in memory. */
export const MAX_CHUNK_BYTES = 64 * MB;

export interface PartPlan {
  /** Plaintext bytes. */
  fileSize: number;
  /** Plaintext bytes of every part but the last. */
  chunkSize: number;
  count: number;
}

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  start: number;
  end: number;
  length: number;
}

/** Above 100 GB only the plan knows: no file is accepted there, and a client opens no chunk above MAX_CHUNK_BYTES. */
function usualPartBytes(fileSize: number): number {
  if (fileSize > 100 * GB) return 100 * MB;
  return fileSize > 10 * GB ? 50 * MB : 25 * MB;
}

/** The part size exceeds `wantedPartBytes` if the file would otherwise need more than 9,500 parts. */
export function planParts(fileSize: number, wantedPartBytes = usualPartBytes(fileSize)): PartPlan {
  const smallestAllowed = Math.max(MIN_PART_BYTES, Math.ceil(fileSize / MAX_PARTS));
  return planOfChunks(fileSize, Math.max(wantedPartBytes, smallestAllowed));
}

/** The same for a chunk size that a server names. It is not trusted: it decides how much memory and how many requests we use. */
export function checkedPlanOfChunks(fileSize: number, chunkSize: number): PartPlan {
  const plan = planOfChunks(fileSize, chunkSize);
  const isAllowed = Number.isInteger(chunkSize) && chunkSize >= 1 && chunkSize <= MAX_CHUNK_BYTES;
  // A plan without chunks would make an empty file look complete.
  if (!isAllowed || !(plan.count >= 1 && plan.count <= MAX_PARTS)) throw new FormatError('CHUNK_SIZE_INVALID');
  return plan;
}

/** The plan of a file whose chunk size is already decided. */
export function planOfChunks(fileSize: number, chunkSize: number): PartPlan {
  return { fileSize, chunkSize, count: Math.ceil(fileSize / chunkSize) };
}

export function plainRange(plan: PartPlan, index: number): ByteRange {
  return rangeOf(index * plan.chunkSize, Math.min((index + 1) * plan.chunkSize, plan.fileSize));
}

export function sealedRange(plan: PartPlan, index: number): ByteRange {
  const plain = plainRange(plan, index);
  return rangeOf(plain.start + index * SEAL_OVERHEAD_BYTES, plain.end + (index + 1) * SEAL_OVERHEAD_BYTES);
}

/** The stored bytes of part `index`: sealed, or plain if the file is not encrypted. */
export function storedRange(plan: PartPlan, index: number, isEncrypted: boolean): ByteRange {
  return isEncrypted ? sealedRange(plan, index) : plainRange(plan, index);
}

export function storedSize(plan: PartPlan, isEncrypted: boolean): number {
  return plan.fileSize + (isEncrypted ? plan.count * SEAL_OVERHEAD_BYTES : 0);
}

function rangeOf(start: number, end: number): ByteRange {
  return { start, end, length: end - start };
}

/** Smaller files are all padded to this size: below it, the exact size would be visible or almost visible. */
const MIN_PADDED_BYTES = 1024;

/**
 * Returns the size that a file of `size` bytes is padded to: the next Padmé size, which has few significant bits. The
 * padding is 12 % at most, and less for large files.
 */
export function paddedSize(size: number): number {
  if (size <= MIN_PADDED_BYTES) return MIN_PADDED_BYTES;
  const exponent = Math.floor(Math.log2(size));
  const significantBits = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - significantBits);
  return Math.ceil(size / step) * step;
}
