// Padding, so that the size of a stored file says little about the size of its content.

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
