// The byte counts of the sealed format.

export const KEY_BYTES = 32;
export const SALT_BYTES = 16;
/** Of SHA-256. */
export const HASH_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
/** The bytes that sealing adds to a chunk. */
export const SEAL_OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;
