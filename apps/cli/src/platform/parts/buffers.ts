// The memory of chunks: used again, or freed as soon as it is no longer needed.
import { nodeCrypto } from '../node-crypto.ts';

/** One chunk is received while one is written. */
const MAX_FREE = 2;

let free: ArrayBuffer[] = [];

/**
 * Memory for a received chunk. It is used again: to allocate and clear 25 MB for each chunk takes longer than to decrypt it.
 * May contain bytes of an earlier chunk.
 */
export function takeBuffer(bytes: number): Uint8Array<ArrayBuffer> {
  // The last chunk of a file is smaller than the others.
  const found = free.find(({ byteLength }) => byteLength >= bytes);
  free = free.filter((buffer) => buffer !== found);
  return new Uint8Array(found ?? new ArrayBuffer(bytes), 0, bytes);
}

/** The caller must not use it any more. */
export function giveBack(buffer: ArrayBuffer): void {
  free.push(buffer);
  // The oldest one has a size that is no longer needed.
  if (free.length > MAX_FREE) free.splice(0, 1).forEach(nodeCrypto.release);
}

/**
 * Frees memory at once. The garbage collector would keep a hundred megabytes of it, and spend more time on it. The caller must
 * not use the bytes any more. Does nothing on Node 20, or if others may use the same buffer.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer?.(0);
}
