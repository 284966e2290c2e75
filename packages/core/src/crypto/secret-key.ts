// The key of an upload, which the server never sees.
import { Failure } from '../errors.ts';
import { KEY_BYTES } from './sizes.ts';
import type { CipherKey, Subtle } from './web-crypto.ts';

/** One key, imported for both formats: a page says which format its files have. Neither can be exported. */
export interface SecretKey {
  /** Format 1 seals with the key itself. */
  readonly gcm: CipherKey;
  /** Format 2 derives all other keys from it. */
  readonly hkdf: CipherKey;
}

export async function importKey(subtle: Subtle, keyBytes: Uint8Array<ArrayBuffer>): Promise<SecretKey> {
  // HKDF accepts any length, AES does not.
  if (keyBytes.length !== KEY_BYTES) throw new Failure('KEY_IMPORT_FAILED');
  try {
    const [gcm, hkdf] = await Promise.all([
      subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
      subtle.importKey('raw', keyBytes, 'HKDF', false, ['deriveBits', 'deriveKey']),
    ]);
    return { gcm, hkdf };
  } catch (cause) {
    throw new Failure('KEY_IMPORT_FAILED', {}, { cause });
  }
}
