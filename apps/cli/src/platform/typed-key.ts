// Keys of uploads: new ones, and those that are given in Base64 or as words. The lists of words are loaded when they are needed.
import { formatKey, importKey, KEY_BYTES, parseKeyOrWords, type SecretKey } from '@furoshiki/format';
import { loadWordList, loadWordListsFor } from '@furoshiki/format/word-lists';
import { keyOfSecret, SECRET_BYTES, secretOf, wordsOf } from '@furoshiki/format/words';
import { nodeCrypto } from './node-crypto.ts';

const { subtle, randomBytes } = nodeCrypto;

export interface KeyTexts {
  /** Base64. */
  keyText: string;
  /** The same key, to read aloud. */
  words?: readonly string[] | undefined;
}

export function newKey(): KeyTexts {
  return { keyText: formatKey(randomBytes(KEY_BYTES)) };
}

/** A new key, in the words of a language or in English ones. */
export async function newKeyOfWords(language: string): Promise<KeyTexts> {
  const secret = randomBytes(SECRET_BYTES);
  const words = wordsOf(secret, await loadWordList(language));
  return { keyText: formatKey(await keyOfSecret(subtle, secret)), words };
}

/** Throws what is wrong with the text. Words of the language are looked for first. */
export async function importTypedKey(text: string, language: string): Promise<SecretKey> {
  const bytes = await parseKeyOrWords(text, async (words) =>
    keyOfSecret(subtle, secretOf(words, await loadWordListsFor(words, language))),
  );
  return importKey(subtle, bytes);
}
