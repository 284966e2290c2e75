// A key of twelve words as text: what separates words, and whether a text looks like words. Without a list of words, so that it
// is known before one is loaded.
import { splitKeyFromLink } from './key.ts';

export const WORD_COUNT = 12;

const LINKS = /https?:[!-~]+/giu;
/** Invisible, and within words: soft hyphens, joiners and byte order marks. */
const INVISIBLE = /\u00AD|\u200C|\u200D|\u2060|\uFEFF/gu;
/** The letters behind a number: 1º, 2ª, 3rd, 1er. */
const ORDINALS = /(?<=\d)(?:[ºªoae]|st|nd|rd|th|er|re)(?![\p{L}\p{M}])/giu;
const WORDS = /[\p{L}\p{M}]+/gu;
/** Each Chinese word is one character, so nothing need separate them. */
const CHARACTERS = /\p{Script=Han}|\P{Script=Han}+/gu;
/** Not the number of the first word. */
const LABEL = /^[^:：\d]{0,30}[:：]/u;
/** Without the slash, which Base64 has. */
const SEPARATORS = /[\s,;.:、，。；：・|–—-]+/u;
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/**
 * The places in a message that may be a key: the first twelve words behind each colon and at the beginning of each line.
 * Elsewhere the word before a key would be taken for its first one: `key` is a word, too.
 */
export function wordRunsIn(text: string): string[][] {
  const parts = clean(text).split(/[:：]/u);
  const beginnings = parts.flatMap((part) => {
    const lines = part.split('\n');
    return lines.map((_, line) => lines.slice(line).join('\n'));
  });
  const runs = beginnings.map((beginning) => (beginning.match(WORDS) ?? []).slice(0, WORD_COUNT));
  return runs.filter(({ length }) => length === WORD_COUNT);
}

/** The words of a text, as they are written. Numbers, punctuation and links are no words. */
export function wordsIn(text: string): string[] {
  return (clean(text).match(WORDS) ?? []).flatMap((word) => word.match(CHARACTERS) ?? []);
}

export function withoutWordLabel(text: string): string {
  return text.trimStart().replace(LABEL, '');
}

/** Whether the last word is still being typed: nothing separates it from what follows. */
export function endsInWord(text: string): boolean {
  return /[\p{L}\p{M}]$/u.test(clean(text));
}

/** Whether a text can only be words: several parts of letters, each in one case, as no key in Base64 is. */
export function isWordShaped(text: string): boolean {
  if (splitKeyFromLink(text).keyText !== undefined) return false;
  const written = withoutWordLabel(clean(text)).trimStart();
  const words = wordsIn(written);
  if (words.length === 0) return false;
  if (words.length === 1 && endsInWord(written) && !OTHER_SCRIPT.test(written)) return false;
  return written.split(SEPARATORS).every(isWordOrNumber);
}

/** Whether it is worth loading the lists for a text: it looks like words, or words may be in it, such as in a message. */
export function mayHaveWords(text: string): boolean {
  if (splitKeyFromLink(text).keyText !== undefined) return false;
  return isWordShaped(text) || wordsIn(text).length >= WORD_COUNT;
}

/** The words as one text, to copy. Japanese is separated by its own space, as BIP39 wants. */
export function joinWords(words: readonly string[]): string {
  return words.join(/\p{Script=Hiragana}/u.test(words[0] ?? '') ? '\u3000' : ' ');
}

function clean(text: string): string {
  return text.replaceAll(LINKS, ' ').replaceAll(INVISIBLE, '').replaceAll(ORDINALS, ' ');
}

function isWordOrNumber(part: string): boolean {
  // A number stands before a word, never behind it.
  const inside = part.normalize('NFKC').replaceAll(/^[^\p{L}\p{M}]*|[^\p{L}\p{M}\p{N}]*$/gu, '');
  if (/[^\p{L}\p{M}]/u.test(inside) || /[+=_]/u.test(part)) return false;
  const [first = ''] = inside;
  const rest = inside.slice(first.length);
  return rest === rest.toLowerCase() || inside === inside.toUpperCase();
}
