// Creates keys, and reads keys that the user typed.
import {
  type CipherKey,
  Failure,
  formatKey,
  hasUsualKeyLength,
  importKey,
  KEY_BYTES,
  keyFits,
  type PageFile,
  parseKey,
} from '@furoshiki/core';
import { browserCrypto } from './browser-crypto.ts';

const { subtle, randomBytes } = browserCrypto;

export async function newKey(): Promise<{ key: CipherKey; keyText: string }> {
  const bytes = randomBytes(KEY_BYTES);
  return { key: await importKey(subtle, bytes), keyText: formatKey(bytes) };
}

export async function importKeyText(text: string): Promise<CipherKey> {
  // oxlint-disable-next-line no-console -- the key may still be right, so the length alone is no error
  if (!hasUsualKeyLength(text)) console.warn('The key has an unusual length.');
  return importKey(subtle, parseKey(text));
}

/**
 * Checks the key against every file of the page, before a download is counted. A user with a key expects encrypted
 * files. A file that the server calls unencrypted, or sends without a key check, therefore fails the check.
 */
export async function assertKeyFits(key: CipherKey, files: readonly PageFile[]): Promise<void> {
  for (const { isEncrypted, salt, keyCheck } of files) {
    const hasKeyCheck = isEncrypted && salt !== undefined && keyCheck !== undefined;
    if (!hasKeyCheck || !(await keyFits(subtle, key, salt, keyCheck))) throw new Failure('KEY_INCORRECT');
  }
}
