// The part of WebCrypto that the sealed formats need. Browsers, workers and Node provide it.

type Bytes = Uint8Array<ArrayBuffer>;

/** A WebCrypto key, opaque to core. */
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
