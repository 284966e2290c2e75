// Making a key, and reading one that was typed.
import {
  type CipherKey,
  Failure,
  formatKey,
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

/**
 * Checked against every file of the page, before any download is spent. Who has a key was given sealed files: one that
 * the server calls unencrypted, or brings no key check for, does not belong to it.
 */
export async function openKey(typed: string, files: readonly PageFile[]): Promise<CipherKey> {
  const { bytes, unusualLength } = parseKey(typed);
  // oxlint-disable-next-line no-console -- the spec asks for this warning, and for no more than that
  if (unusualLength) console.warn('The key has an unusual length.');
  const key = await importKey(subtle, bytes);
  for (const { isEncrypted, salt, keyCheck } of files) {
    const isSealed = isEncrypted && salt !== undefined && keyCheck !== undefined;
    if (!isSealed || !(await keyFits(subtle, key, salt, keyCheck))) throw new Failure('KEY_INCORRECT');
  }
  return key;
}
