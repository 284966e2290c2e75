// Creates keys, and reads keys that the user typed.
import { formatKey, hasUsualKeyLength, importKey, KEY_BYTES, parseKey, type SecretKey } from '@furoshiki/format';
import { browserCrypto } from './browser-crypto.ts';

const { subtle, randomBytes } = browserCrypto;

export async function newKey(): Promise<{ key: SecretKey; keyText: string }> {
  const bytes = randomBytes(KEY_BYTES);
  return { key: await importKey(subtle, bytes), keyText: formatKey(bytes) };
}

export async function importKeyText(text: string): Promise<SecretKey> {
  // oxlint-disable-next-line no-console -- the key may still be right, so the length alone is no error
  if (!hasUsualKeyLength(text)) console.warn('The key has an unusual length.');
  return importKey(subtle, parseKey(text));
}
