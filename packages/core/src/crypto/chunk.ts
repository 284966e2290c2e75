// One sealed chunk: IV(12) ‖ ciphertext ‖ tag(16), bound by its AAD to its file, its index and the number of chunks.
import { Failure } from '../errors.ts';
import { type PartPlan, plainRange, sealedRange } from '../plan/part-plan.ts';
import { IV_BYTES } from './sizes.ts';
import { type CipherKey, gcm, type Subtle } from './web-crypto.ts';

export const FORMAT = 'furoshiki/1';

/** What every chunk of a file is bound to. Each field is authenticated: a chunk does not open if one of them is wrong. */
export interface SealedFile extends PartPlan {
  fileName: string;
  /** 16 random bytes, Base64. */
  salt: string;
}

export async function importKey(subtle: Subtle, keyBytes: Uint8Array<ArrayBuffer>): Promise<CipherKey> {
  try {
    return await subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  } catch (cause) {
    throw new Failure('KEY_IMPORT_FAILED', {}, { cause });
  }
}

export function chunkAad(file: SealedFile, index: number): Uint8Array<ArrayBuffer> {
  const { salt, fileName, fileSize, chunkSize, count } = file;
  return new TextEncoder().encode(JSON.stringify([FORMAT, salt, fileName, fileSize, chunkSize, index, count]));
}

/** One chunk of a file, with the key that seals and opens it. */
export interface ChunkContext {
  key: CipherKey;
  file: SealedFile;
  /** Counted from 0. */
  index: number;
}

/** A sealed chunk in two pieces, so that a caller can write or send them without a copy. */
export interface SealedChunk {
  iv: Uint8Array<ArrayBuffer>;
  /** Ciphertext ‖ tag. */
  body: Uint8Array<ArrayBuffer>;
}

/**
 * `iv` must be 12 fresh random bytes: a second use under the same key breaks GCM. WebCrypto has copied `plain` when this
 * function returns its promise, so the caller may free that memory at once.
 */
export async function sealChunk(
  subtle: Subtle,
  { key, file, index }: ChunkContext,
  iv: Uint8Array<ArrayBuffer>,
  plain: Uint8Array<ArrayBuffer>,
): Promise<SealedChunk> {
  if (iv.length !== IV_BYTES || plain.length !== plainRange(file, index).length) throw new Failure('ENCRYPTION_FAILED');
  try {
    return { iv, body: new Uint8Array(await subtle.encrypt(gcm(iv, chunkAad(file, index)), key, plain)) };
  } catch (cause) {
    throw new Failure('ENCRYPTION_FAILED', {}, { cause });
  }
}

/** Returns the chunk as it is stored: IV ‖ ciphertext ‖ tag. */
export function packChunk({ iv, body }: SealedChunk): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(iv.length + body.length);
  packed.set(iv);
  packed.set(body, iv.length);
  return packed;
}

/**
 * Returns the plaintext. Throws DECRYPTION_FAILED if the key, content, index, name or sizes do not belong together.
 * WebCrypto has copied `sealed` when this function returns its promise, so the caller may reuse that memory at once.
 */
export async function openChunk(
  subtle: Subtle,
  { key, file, index }: ChunkContext,
  sealed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (sealed.length !== sealedRange(file, index).length) throw new Failure('DECRYPTION_FAILED');
  try {
    const aad = chunkAad(file, index);
    return new Uint8Array(await subtle.decrypt(gcm(sealed.slice(0, IV_BYTES), aad), key, sealed.subarray(IV_BYTES)));
  } catch (cause) {
    throw new Failure('DECRYPTION_FAILED', {}, { cause });
  }
}
