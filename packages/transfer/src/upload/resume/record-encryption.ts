// Encrypts resume records. The key is derived from two halves, one on this device and one on the server, and never stored.
// See ADR 10.
import { type CipherKey, IV_BYTES } from '@furoshiki/format';
import type { CryptoPort } from '../../ports.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const PURPOSE = 'furoshiki resume record';

export interface EncryptedContent {
  iv: Bytes;
  encrypted: ArrayBuffer;
}

export type RecordEncryption = ReturnType<typeof createRecordEncryption>;

export function createRecordEncryption({ subtle, randomBytes }: Pick<CryptoPort, 'subtle' | 'randomBytes'>) {
  return {
    /** This device's half, of 32 random bytes. Non-extractable: code can use it, but not read it. */
    importLocalSecret: (bytes: Bytes): Promise<CipherKey> =>
      subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']),

    deriveRecordKey(localSecret: CipherKey, resumeSecret: string): Promise<CipherKey> {
      const halves = { name: 'HKDF', hash: 'SHA-256', salt: bytesOf(resumeSecret), info: bytesOf(PURPOSE) } as const;
      return subtle.deriveKey(halves, localSecret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    },

    async encryptContent(key: CipherKey, content: object): Promise<EncryptedContent> {
      const iv = randomBytes(IV_BYTES);
      return { iv, encrypted: await subtle.encrypt(gcm(iv), key, bytesOf(JSON.stringify(content))) };
    },

    /** Returns undefined if the content is damaged, or encrypted with another key. */
    async decryptContent<T>(key: CipherKey, { iv, encrypted }: EncryptedContent): Promise<T | undefined> {
      try {
        const bytes = await subtle.decrypt(gcm(iv), key, new Uint8Array(encrypted));
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
      } catch {
        return undefined;
      }
    },
  };
}

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

const gcm = (iv: Bytes) => ({ name: 'AES-GCM', iv, additionalData: new Uint8Array(), tagLength: 128 }) as const;
