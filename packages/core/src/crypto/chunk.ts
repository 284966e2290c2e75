// One sealed chunk: IV(12) ‖ ciphertext ‖ tag(16), bound by its AAD to its file, its place and the number of chunks.
import { Failure } from '../errors.ts';
import { type PartPlan, plainRange, sealedRange } from '../plan/part-plan.ts';
import { IV_BYTES } from './sizes.ts';
import { type CipherKey, gcm, type Subtle } from './web-crypto.ts';

export const FORMAT = 'furoshiki/1';

/** What every chunk of a file is bound to. Each field is authenticated: a lie in any of them fails the opening. */
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

/**
 * `iv` must be 12 fresh random bytes: GCM is broken by a second use under the same key. `release` is handed what was needed
 * on the way, for platforms that can free it sooner than their garbage collector would. Has a copy of the plaintext when it
 * returns.
 */
export async function sealChunk(
  subtle: Subtle,
  key: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  file: SealedFile,
  index: number,
  plain: Uint8Array<ArrayBuffer>,
  release: (used: ArrayBuffer) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (iv.length !== IV_BYTES || plain.length !== plainRange(file, index).length) throw new Failure('ENCRYPTION_FAILED');
  try {
    const body = await subtle.encrypt(gcm(iv, chunkAad(file, index)), key, plain);
    const sealed = new Uint8Array(IV_BYTES + body.byteLength);
    sealed.set(iv);
    sealed.set(new Uint8Array(body), IV_BYTES);
    release(body);
    return sealed;
  } catch (cause) {
    throw new Failure('ENCRYPTION_FAILED', {}, { cause });
  }
}

/**
 * The plaintext, or DECRYPTION_FAILED where key, content, place, name or size do not all belong together. Has a copy of the
 * sealed bytes when it returns, as WebCrypto promises: their memory may be used again at once.
 */
export async function openChunk(
  subtle: Subtle,
  key: CipherKey,
  file: SealedFile,
  index: number,
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
