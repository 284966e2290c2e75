// Imports keys that the user typed. Not part of the first load.
import { hasUsualKeyLength, importKey, parseKey, type SecretKey } from '@furoshiki/format';
import { browserCrypto } from './browser-crypto.ts';

export async function importKeyText(text: string): Promise<SecretKey> {
  // oxlint-disable-next-line no-console -- the key may still be right, so the length alone is no error
  if (!hasUsualKeyLength(text)) console.warn('The key has an unusual length.');
  return importKey(browserCrypto.subtle, parseKey(text));
}
