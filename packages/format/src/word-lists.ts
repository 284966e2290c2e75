// The word lists of BIP39 that keys may be written in, each loaded when it is needed: by the sender's language, or by the
// script of what a recipient has typed.
import type { WordList } from './words.ts';

const LISTS = {
  en: () => import('@scure/bip39/wordlists/english.js'),
  es: () => import('@scure/bip39/wordlists/spanish.js'),
  fr: () => import('@scure/bip39/wordlists/french.js'),
  pt: () => import('@scure/bip39/wordlists/portuguese.js'),
  ja: () => import('@scure/bip39/wordlists/japanese.js'),
  ko: () => import('@scure/bip39/wordlists/korean.js'),
  'zh-CN': () => import('@scure/bip39/wordlists/simplified-chinese.js'),
  'zh-TW': () => import('@scure/bip39/wordlists/traditional-chinese.js'),
};
type ListLanguage = keyof typeof LISTS;

const SCRIPTS: readonly (readonly [RegExp, readonly ListLanguage[]])[] = [
  [/\p{Script=Latin}/u, ['en', 'es', 'fr', 'pt']],
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, ['ja']],
  [/\p{Script=Hangul}/u, ['ko']],
  [/\p{Script=Han}/u, ['zh-CN', 'zh-TW']],
];

const isListed = (language: string): language is ListLanguage => Object.hasOwn(LISTS, language);

/** Returns the list of a language, or the English one: there is no German list. */
export async function loadWordList(language: string): Promise<WordList> {
  return (await LISTS[isListed(language) ? language : 'en']()).wordlist;
}

/** Returns the lists that have words in the scripts of a text, those of the language first. */
export async function loadWordListsFor(text: string, language: string): Promise<WordList[]> {
  const wanted = SCRIPTS.filter(([script]) => script.test(text)).flatMap(([, languages]) => languages);
  const sorted = [...wanted.filter((listed) => listed === language), ...wanted.filter((listed) => listed !== language)];
  return Promise.all(sorted.map(loadWordList));
}
