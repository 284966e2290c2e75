// The key schedule of format 2: everything that is derived from the key of an upload and the salt of its page.
import { fromBase64, toBase64 } from './base64.ts';
import type { SecretKey } from './secret-key.ts';
import { KEY_BYTES } from './sizes.ts';
import { type CipherKey, hkdf, type Subtle } from './web-crypto.ts';

export const FORMAT_2 = 'furoshiki/2';

/** The same for all files of one upload. */
export interface PageSecrets {
  /** Stored by the server. Detects a wrong key before anything is spent. Another key with the same check cannot be found. */
  keyCheck: string;
  /** Proves to the server that a client has the key. */
  accessToken: string;
  /** What the server stores of the access token. */
  accessCheck: string;
  /** Seals names, true sizes and the list of files. */
  detailsKey: CipherKey;
}

/** `pageSalt`: Base64 of 16 random bytes, new for each upload. */
export async function derivePageSecrets(subtle: Subtle, key: SecretKey, pageSalt: string): Promise<PageSecrets> {
  const bits = async (use: string) =>
    new Uint8Array(await subtle.deriveBits(hkdf(bytesOf(pageSalt), `${FORMAT_2} ${use}`), key.hkdf, 8 * KEY_BYTES));
  const [keyCheck, accessToken, detailsKey] = await Promise.all([
    bits('check'),
    bits('access'),
    deriveCipherKey(subtle, key, pageSalt, 'details'),
  ]);
  return {
    keyCheck: toBase64(keyCheck),
    accessToken: toBase64(accessToken),
    accessCheck: toBase64(new Uint8Array(await subtle.digest('SHA-256', accessToken))),
    detailsKey,
  };
}

/** The key that seals the chunks of one file. `fileSalt`: Base64 of 16 random bytes, new for each file. */
export function deriveFileKey(subtle: Subtle, key: SecretKey, pageSalt: string, fileSalt: string): Promise<CipherKey> {
  return deriveCipherKey(subtle, key, pageSalt, `file ${fileSalt}`);
}

function deriveCipherKey(subtle: Subtle, key: SecretKey, pageSalt: string, use: string): Promise<CipherKey> {
  const derivation = hkdf(bytesOf(pageSalt), `${FORMAT_2} ${use}`);
  return subtle.deriveKey(derivation, key.hkdf, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

function bytesOf(salt: string): Uint8Array<ArrayBuffer> {
  return fromBase64(salt) ?? new Uint8Array();
}
