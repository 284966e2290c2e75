// The key of an upload, which the server never sees: imported, and as users see it: 44 characters of Base64, alone, masked, or
// in the fragment of a link.
import { FormatError } from './errors.ts';
import { type CipherKey, KEY_BYTES, type Subtle, toBase64 } from './primitives.ts';

/** One key, imported for both formats: a page says which format its files have. Neither can be exported. */
export interface SecretKey {
  /** Format 1 seals with the key itself. */
  readonly gcm: CipherKey;
  /** Format 2 derives all other keys from it. */
  readonly hkdf: CipherKey;
}

export async function importKey(subtle: Subtle, keyBytes: Uint8Array<ArrayBuffer>): Promise<SecretKey> {
  // HKDF accepts any length, AES does not.
  if (keyBytes.length !== KEY_BYTES) throw new FormatError('KEY_IMPORT_FAILED');
  try {
    const [gcmKey, hkdfKey] = await Promise.all([
      subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
      subtle.importKey('raw', keyBytes, 'HKDF', false, ['deriveBits', 'deriveKey']),
    ]);
    return { gcm: gcmKey, hkdf: hkdfKey };
  } catch (cause) {
    throw new FormatError('KEY_IMPORT_FAILED', {}, { cause });
  }
}

export function formatKey(bytes: Uint8Array): string {
  if (bytes.length !== KEY_BYTES) throw new FormatError('KEY_INVALID_LENGTH', { byteCount: bytes.length });
  return toBase64(bytes);
}

/** Returns the link with the key in its fragment, which no browser sends. Only used if the sender chooses it. */
export function linkWithKey(link: string, keyBase64: string): string {
  return `${link}#key=${encodeURIComponent(keyBase64)}`;
}

/** A "link with key", taken apart. */
export interface SplitLink {
  link: string;
  keyText: string | undefined;
  /** Whether a browser sends the key to the server with the address. */
  isKeySent: boolean;
}

/**
 * Returns the key in the fragment of an address, and the address without it. Also finds a key after `%23`, because mail
 * gateways encode the `#`, which makes the fragment a part of the path: browsers send that part.
 */
export function splitKeyFromLink(address: string): SplitLink {
  const found = /^(.*?)(#|%(?:25)*23)key(?:=|%(?:25)*3D)(.*)$/isu.exec(address);
  if (!found) return { link: address, keyText: undefined, isKeySent: false };
  const [, link = '', separator = '', rest = ''] = found;
  const [keyText = ''] = rest.split('&');
  return { link, keyText: decodePercents(keyText), isKeySent: !`${link}${separator}`.includes('#') };
}

/** Removes the percent-encoding of every character that a key may have, and encoded white space. */
export function decodePercents(text: string): string {
  // Each gateway on the way may have encoded a correct link again.
  const once = text.replaceAll(/%(?:25)+/gu, '%');
  return once.replaceAll(/%(2B|2F|3D|2D|5F|23|0A|0D|20)/giu, (_, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return character.trim();
  });
}

/** Returns the key with only its first and last four characters readable. */
export function maskKey(keyBase64: string): string {
  return `${keyBase64.slice(0, 4)}${'•'.repeat(Math.max(0, keyBase64.length - 8))}${keyBase64.slice(-4)}`;
}
