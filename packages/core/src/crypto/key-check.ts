// The key check of format 1: detects a wrong key at once, before a download is taken.
import { fromBase64, toBase64 } from './base64.ts';
import { FORMAT_1 } from './chunk.ts';
import type { SecretKey } from './secret-key.ts';
import { IV_BYTES, TAG_BYTES } from './sizes.ts';
import { gcm, type Subtle } from './web-crypto.ts';

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
