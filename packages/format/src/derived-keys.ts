// What is derived from the key of an upload: by format 1 a key check, by format 2 keys, a check and the proof for the server.
// Apart from key.ts, which home loads before its first paint.
import type { SecretKey } from './key.ts';
import {
  type CipherKey,
  fromBase64,
  gcm,
  hkdf,
  IV_BYTES,
  KEY_BYTES,
  type Subtle,
  TAG_BYTES,
  toBase64,
} from './primitives.ts';

export const FORMAT_1 = 'furoshiki/1';
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

const NOTHING = new Uint8Array();

function keyCheckAad(salt: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([FORMAT_1, 'key-check', salt]));
}

/** Returns the Base64 of IV ‖ tag, made by sealing zero bytes. `iv` must be 12 fresh random bytes. */
export async function makeKeyCheck(
  subtle: Subtle,
  key: SecretKey,
  iv: Uint8Array<ArrayBuffer>,
  salt: string,
): Promise<string> {
  const tag = new Uint8Array(await subtle.encrypt(gcm(iv, keyCheckAad(salt)), key.gcm, NOTHING));
  return toBase64(new Uint8Array([...iv, ...tag]));
}

export async function keyFits(subtle: Subtle, key: SecretKey, salt: string, keyCheck: string): Promise<boolean> {
  const bytes = fromBase64(keyCheck);
  if (bytes?.length !== IV_BYTES + TAG_BYTES) return false;
  try {
    await subtle.decrypt(gcm(bytes.slice(0, IV_BYTES), keyCheckAad(salt)), key.gcm, bytes.slice(IV_BYTES));
    return true;
  } catch {
    return false;
  }
}
