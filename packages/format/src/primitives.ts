// What the sealed formats are made of: byte counts, standard Base64, and the part of WebCrypto that they need. Browsers,
// workers and Node provide it.

export const KEY_BYTES = 32;
export const SALT_BYTES = 16;
/** Of SHA-256. */
export const HASH_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
/** The bytes that sealing adds to a chunk. */
export const SEAL_OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;

/** `String.fromCharCode` accepts only so many arguments. */
const PIECE_BYTES = 8192;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES));
  return btoa(text);
}

/** Returns undefined if the text is not Base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A WebCrypto key, opaque here. */
export interface CipherKey {
  readonly type: string;
  readonly extractable: boolean;
}

interface GcmParameters {
  name: 'AES-GCM';
  iv: Bytes;
  additionalData: Bytes;
  tagLength: 128;
}

interface HkdfParameters {
  name: 'HKDF';
  hash: 'SHA-256';
  salt: Bytes;
  info: Bytes;
}

type KeyUsage = 'encrypt' | 'decrypt' | 'deriveBits' | 'deriveKey';

export interface Subtle {
  importKey(
    format: 'raw',
    keyData: Bytes,
    algorithm: 'AES-GCM' | 'HKDF',
    extractable: boolean,
    usages: KeyUsage[],
  ): Promise<CipherKey>;
  encrypt(algorithm: GcmParameters, key: CipherKey, data: Bytes): Promise<ArrayBuffer>;
  decrypt(algorithm: GcmParameters, key: CipherKey, data: Bytes): Promise<ArrayBuffer>;
  deriveBits(algorithm: HkdfParameters, key: CipherKey, length: number): Promise<ArrayBuffer>;
  deriveKey(
    algorithm: HkdfParameters,
    key: CipherKey,
    derivedKey: { name: 'AES-GCM'; length: 256 },
    extractable: boolean,
    usages: KeyUsage[],
  ): Promise<CipherKey>;
  digest(algorithm: 'SHA-256', data: Bytes): Promise<ArrayBuffer>;
}

export function gcm(iv: Bytes, additionalData: Bytes): GcmParameters {
  return { name: 'AES-GCM', iv, additionalData, tagLength: 128 };
}

export function hkdf(salt: Bytes, info: string): HkdfParameters {
  return { name: 'HKDF', hash: 'SHA-256', salt, info: new TextEncoder().encode(info) };
}
