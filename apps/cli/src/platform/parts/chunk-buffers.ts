// The memory of received chunks. It is used again: to allocate and clear 25 MB for each chunk takes longer than to decrypt it.
import { nodeCrypto } from '../node-crypto.ts';

/** One chunk is received while one is written. */
const MAX_FREE = 2;

let free: ArrayBuffer[] = [];

/** May contain bytes of an earlier chunk. */
export function takeBuffer(bytes: number): Uint8Array<ArrayBuffer> {
  const found = free.find(({ byteLength }) => byteLength === bytes);
  free = free.filter((buffer) => buffer !== found);
  return new Uint8Array(found ?? new ArrayBuffer(bytes));
}

/** The caller must not use it any more. */
export function giveBack(buffer: ArrayBuffer): void {
  free.push(buffer);
  // The oldest one has a size that is no longer needed.
  if (free.length > MAX_FREE) free.splice(0, 1).forEach(nodeCrypto.release);
}
