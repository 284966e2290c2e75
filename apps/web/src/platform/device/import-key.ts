// Imports keys that the user typed, in Base64 or as words. Not part of the first load.
import { Failure } from '@furoshiki/api';
import { hasUsualKeyLength, importKey, mayHaveWords, parseKeyOrWords, type SecretKey } from '@furoshiki/format';
import { browserCrypto } from './browser-crypto.ts';

export async function importKeyText(text: string): Promise<SecretKey> {
  const usesWords = mayHaveWords(text);
  // oxlint-disable-next-line no-console -- the key may still be right, so the length alone is no error
  if (!usesWords && !hasUsualKeyLength(text)) console.warn('The key has an unusual length.');
  return importKey(browserCrypto.subtle, await parseKeyOrWords(text, keyOfWords));
}

async function keyOfWords(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const { keyOfWords: read } = await import('./key-words.ts').catch((cause: unknown) => {
    throw new Failure('NETWORK', {}, { cause });
  });
  return read(text);
}
