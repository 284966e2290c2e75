// Encrypts staged files: what a crash or a closed tab leaves on the disk cannot be read without the key of the upload.
import { type CipherKey, IV_BYTES, KEY_BYTES, toBase64 } from '@furoshiki/format';

const NONCE_BYTES = 16;
const AES_BLOCK_BYTES = 16;

/** A new one for every file that is staged from its first byte: under one nonce no offset may hold two different bytes. */
export const newNonce = (): string => toBase64(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));

/**
 * Derives the key of one staged file, so that a user who types the key of the upload again can resume it. The derived
 * key is keystream of AES-GCM. Its IV is a hash: an attacker who changes the nonce on the disk cannot choose an IV that a
 * chunk has, for which part of the keystream may be known.
 */
export async function deriveStagingKey(key: CipherKey, identity: string, nonce: string): Promise<CryptoKey> {
  const context = new TextEncoder().encode(JSON.stringify(['furoshiki/staging', identity, nonce]));
  const iv = (await crypto.subtle.digest('SHA-256', context)).slice(0, IV_BYTES);
  const zeros = new Uint8Array(KEY_BYTES);
  const keystream = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key as CryptoKey, zeros);
  return crypto.subtle.importKey('raw', keystream.slice(0, KEY_BYTES), 'AES-CTR', false, ['encrypt']);
}

/** For a file that is never resumed. Nothing outside of this tab's memory can decrypt it. */
export const randomStagingKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-CTR', length: 8 * KEY_BYTES }, false, ['encrypt']);

/**
 * Encrypts plaintext and decrypts ciphertext: in CTR mode both are the same. `at` is the offset of the bytes in their
 * file. WebCrypto has copied them when this function returns its promise, so the caller may reuse their memory at once.
 */
export async function applyKeystream(
  key: CryptoKey,
  at: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const before = at % AES_BLOCK_BYTES;
  const counter = new Uint8Array(AES_BLOCK_BYTES);
  new DataView(counter.buffer).setBigUint64(8, BigInt((at - before) / AES_BLOCK_BYTES));
  const blocks = before === 0 ? bytes : new Uint8Array(before + bytes.length);
  if (blocks !== bytes) blocks.set(bytes, before);
  return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CTR', counter, length: 64 }, key, blocks), before);
}
