// Keys of twelve words in the browser: new ones, and those that a recipient types. Loaded, with the lists of words, only when
// they are needed.
import { asFailure, Failure } from '@furoshiki/api';
import { formatKey, importKey } from '@furoshiki/format';
import { loadWordList, loadWordListsFor } from '@furoshiki/format/word-lists';
import {
  keyOfSecret,
  problemWhileTyping,
  SECRET_BYTES,
  secretOf,
  suggestionsFor,
  type WordList,
  wordsOf,
} from '@furoshiki/format/words';
import type { NewKey, TypedWords } from '../../services.ts';
import { browserCrypto } from './browser-crypto.ts';

const MAX_SUGGESTIONS = 5;
const { subtle, randomBytes } = browserCrypto;

/** If it fails, `newKeyOfWords` loads them again. */
export function preload(language: string): void {
  loadWordList(language).catch(() => undefined);
}

/** A new key, in the words of a language or in English ones. */
export async function newKeyOfWords(language: string): Promise<NewKey> {
  const list = await loadWordList(language).catch(notLoaded);
  const secret = randomBytes(SECRET_BYTES);
  const bytes = await keyOfSecret(subtle, secret);
  return { key: await importKey(subtle, bytes), keyText: formatKey(bytes), words: wordsOf(secret, list) };
}

/** Throws what is wrong with the words. */
export async function keyOfWords(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return keyOfSecret(subtle, secretOf(text, await listsFor(text)));
}

export async function readWords(text: string): Promise<TypedWords> {
  const lists = await listsFor(text);
  const problem = problemWhileTyping(text, lists);
  return {
    suggestions: suggestionsFor(text, lists, MAX_SUGGESTIONS),
    failure: problem && asFailure(problem),
  };
}

async function listsFor(text: string): Promise<WordList[]> {
  return loadWordListsFor(text, document.documentElement.lang).catch(notLoaded);
}

function notLoaded(cause: unknown): never {
  throw new Failure('NETWORK', {}, { cause });
}
