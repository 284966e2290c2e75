// The part of WebCrypto that the sealed format needs. Browsers, workers and Node provide it.

/** A WebCrypto key, opaque to core. */
export interface CipherKey {
  readonly type: string;
  readonly extractable: boolean;
}

interface GcmParameters {
  name: 'AES-GCM';
  iv: Uint8Array<ArrayBuffer>;
  additionalData: Uint8Array<ArrayBuffer>;
  tagLength: 128;
}

export interface Subtle {
  importKey(
    format: 'raw',
    keyData: Uint8Array<ArrayBuffer>,
    algorithm: 'AES-GCM',
    extractable: boolean,
    usages: ('encrypt' | 'decrypt')[],
  ): Promise<CipherKey>;
  encrypt(algorithm: GcmParameters, key: CipherKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
  decrypt(algorithm: GcmParameters, key: CipherKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
}

export function gcm(iv: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>): GcmParameters {
  return { name: 'AES-GCM', iv, additionalData, tagLength: 128 };
}
