// A key of twelve words: 16 random bytes in the words of a BIP39 list, and the key that is derived from them. Reads words of
// several lists, as people write them down. The lists are parameters: see word-lists.ts.
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { editDistance } from './edit-distance.ts';
import { FormatError } from './errors.ts';
import { hkdf, KEY_BYTES, type Subtle } from './primitives.ts';
import { endsInWord, WORD_COUNT, withoutWordLabel, wordRunsIn, wordsIn } from './word-text.ts';

export const SECRET_BYTES = 16;
const INFO = 'furoshiki/words';
const NO_SALT = new Uint8Array();
/** What an ambiguous or unknown word may mean: more would not be read. */
const MAX_LIKELY = 3;

/** The 2,048 words of a language, in the order and the form of BIP39. */
export type WordList = readonly string[];
type Secret = Uint8Array<ArrayBuffer>;

/** Returns the twelve words of 16 bytes. The last one contains their checksum. */
export function wordsOf(secret: Uint8Array, list: WordList): string[] {
  if (secret.length !== SECRET_BYTES) throw new FormatError('KEY_INVALID_LENGTH', { byteCount: secret.length });
  return entropyToMnemonic(secret, list as string[])
    .split(/[ \u3000]/u)
    .map((word) => word.normalize('NFC'));
}

/** Returns the key of an upload that 16 bytes stand for. */
export async function keyOfSecret(subtle: Subtle, secret: Secret): Promise<Secret> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return new Uint8Array(await subtle.deriveBits(hkdf(NO_SALT, INFO), key, 8 * KEY_BYTES));
}

/**
 * Returns the 16 bytes of twelve words, alone or within a message. Throws what is wrong with them. A list counts only if all
 * words are in it and the checksum fits. ADR 28 says how rarely two lists do; then the one with more whole words counts.
 */
export function secretOf(text: string, lists: readonly WordList[]): Secret {
  const written = [text, withoutWordLabel(text)].map(wordsIn);
  for (const words of written) {
    const secret = decode(words, lists, meaningOf);
    if (secret) return secret;
  }
  for (const words of wordRunsIn(text)) {
    const secret = decode(words, lists, exactly);
    if (secret) return secret;
  }
  const words = written.find(({ length }) => length === WORD_COUNT) ?? written[1] ?? [];
  const code = words.length === WORD_COUNT ? 'KEY_WORDS_WRONG' : 'KEY_WORDS_COUNT';
  throw problemWith(words, lists) ?? new FormatError(code, code === 'KEY_WORDS_COUNT' ? { count: words.length } : {});
}

/** Returns what is wrong with the words that are complete while a key is being typed. */
export function problemWhileTyping(text: string, lists: readonly WordList[]): FormatError | undefined {
  const words = wordsIn(withoutWordLabel(text));
  return problemWith(endsInWord(text) ? words.slice(0, -1) : words, lists);
}

/** Returns the words that begin with the last one of the text, if that is still being typed. Those of the fitting lists come first. */
export function suggestionsFor(text: string, lists: readonly WordList[], limit: number): string[] {
  const words = wordsIn(withoutWordLabel(text));
  const last = endsInWord(text) ? words.at(-1) : undefined;
  if (last === undefined) return [];
  const before = words.slice(0, -1);
  const fitting = lists.filter((list) => before.every((word) => meaningOf(word, list) !== undefined));
  const found = (fitting.length > 0 ? fitting : lists).flatMap((list) => beginningWith(last, list));
  const distinct = [...new Set(found.map((word) => word.normalize('NFC')))].slice(0, limit);
  return distinct.length === 1 && distinct[0] === last.normalize('NFC').toLowerCase() ? [] : distinct;
}

/**
 * The form in which words are compared. Latin letters have no accents, because no two words of a list differ only in them
 * (BIP39 wants that), and Katakana is Hiragana.
 */
function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/gu, '')
    .replaceAll(/[\u30A1-\u30F6]/gu, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

const foldedLists = new WeakMap<WordList, Map<string, string>>();

/** The words of a list by their folded form. */
function foldedList(list: WordList): Map<string, string> {
  const known = foldedLists.get(list);
  if (known) return known;
  const folded = new Map(list.map((word) => [fold(word), word]));
  foldedLists.set(list, folded);
  return folded;
}

type Meaning = (word: string, list: WordList) => string | undefined;

/** The word itself, whatever else begins with it. */
const exactly: Meaning = (word, list) => foldedList(list).get(fold(word));

function beginningWith(word: string, list: WordList): string[] {
  const beginning = fold(word);
  const found: string[] = [];
  for (const [folded, whole] of foldedList(list)) if (folded.startsWith(beginning)) found.push(whole);
  return found;
}

/** The word itself, or the only one that begins so. */
const meaningOf: Meaning = (word, list) => {
  const exact = exactly(word, list);
  if (exact !== undefined) return exact;
  const [only, ...others] = beginningWith(word, list);
  return others.length === 0 ? only : undefined;
};

/** The secret of twelve words, in a list that has all of them and whose checksum fits. */
function decode(words: readonly string[], lists: readonly WordList[], meaning: Meaning): Secret | undefined {
  if (words.length !== WORD_COUNT) return undefined;
  let best: { secret: Secret; wholeWords: number } | undefined;
  for (const list of lists) {
    const meant = words.map((word) => meaning(word, list));
    const wholeWords = words.filter((word) => exactly(word, list) !== undefined).length;
    if (meant.includes(undefined) || wholeWords <= (best?.wholeWords ?? -1)) continue;
    try {
      best = { secret: new Uint8Array(mnemonicToEntropy(meant.join(' '), list as string[])), wholeWords };
    } catch {
      // The checksum of this list does not fit.
    }
  }
  return best?.secret;
}

/** The first word that is in no list, or that can mean several words, in the list that knows most of the words. */
function problemWith(words: readonly string[], lists: readonly WordList[]): FormatError | undefined {
  const counted = lists.map((list) => ({
    list,
    known: words.filter((word) => beginningWith(word, list).length > 0).length,
  }));
  const most = Math.max(...counted.map(({ known }) => known));
  const best = counted.filter(({ known }) => known === most).map(({ list }) => list);
  if (best.some((list) => words.every((word) => meaningOf(word, list) !== undefined))) return undefined;
  const [list = []] = best;
  for (const word of words) {
    const likely = beginningWith(word, list);
    if (likely.length === 0)
      return new FormatError('KEY_WORD_UNKNOWN', { word, likelyWords: shown(nearest(word, best)) });
    if (meaningOf(word, list) === undefined)
      return new FormatError('KEY_WORD_AMBIGUOUS', { word, likelyWords: shown(likely) });
  }
  return undefined;
}

const shown = (words: readonly string[]) => words.slice(0, MAX_LIKELY).map((word) => word.normalize('NFC'));

/** The word that differs least, if it differs little. Within the first list that has one. */
function nearest(word: string, lists: readonly WordList[]): string[] {
  const typed = fold(word);
  let best: { whole: string; distance: number } | undefined;
  for (const list of lists)
    for (const [folded, whole] of foldedList(list)) {
      // Only the number of letters is cheap to compare.
      if (Math.abs(typed.length - folded.length) > 2) continue;
      const distance = editDistance(typed, folded);
      if (distance < (best?.distance ?? Math.min(3, Math.ceil(typed.length / 2)))) best = { whole, distance };
    }
  return best ? [best.whole] : [];
}
