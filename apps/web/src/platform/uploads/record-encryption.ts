// Encrypts resume records. The key is derived from two halves, one in this browser and one on the server, and never stored.
// See ADR 10.

const GCM = 'AES-GCM';
const PURPOSE = new TextEncoder().encode('furoshiki resume record');

export interface EncryptedContent {
  iv: Uint8Array<ArrayBuffer>;
  encrypted: ArrayBuffer;
}

/** This browser's half. Non-extractable: scripts can use it, but no script can read it. */
export function newLocalSecret(): Promise<CryptoKey> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);
}

export function deriveRecordKey(localSecret: CryptoKey, resumeSecret: string): Promise<CryptoKey> {
  const salt = new TextEncoder().encode(resumeSecret);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: PURPOSE };
  return crypto.subtle.deriveKey(derivation, localSecret, { name: GCM, length: 256 }, false, ['encrypt', 'decrypt']);
}

export async function encryptContent(key: CryptoKey, content: object): Promise<EncryptedContent> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  return { iv, encrypted: await crypto.subtle.encrypt({ name: GCM, iv }, key, bytes) };
}

/** Returns undefined if the content is damaged, or encrypted with another key. */
export async function decryptContent<T>(key: CryptoKey, { iv, encrypted }: EncryptedContent): Promise<T | undefined> {
  try {
    const bytes = await crypto.subtle.decrypt({ name: GCM, iv }, key, encrypted);
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    return undefined;
  }
}
