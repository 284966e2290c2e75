// Frees memory that is no longer needed at once. The garbage collector would keep a hundred megabytes of it, and spend more
// time on it.

/** The caller must not use the bytes any more. Does nothing on Node 20, or if others may use the same buffer. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer?.(0);
}
