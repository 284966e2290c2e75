// A key of twelve words, written from docs/FORMAT.md alone. Only the lists of words come from a package.
import { createHash, hkdfSync } from 'node:crypto';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js';
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js';
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js';
import { wordlist as simplified } from '@scure/bip39/wordlists/simplified-chinese.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import { wordlist as traditional } from '@scure/bip39/wordlists/traditional-chinese.js';
import { check } from './format.mjs';

export const LISTS = {
  en: english,
  es: spanish,
  fr: french,
  pt: portuguese,
  ja: japanese,
  ko: korean,
  'zh-CN': simplified,
  'zh-TW': traditional,
};

const COUNT = 12;
const BITS = 11;
const plain = (text) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '');

const toBits = (number, length) => number.toString(2).padStart(length, '0');
const checksumOf = (secret) => createHash('sha256').update(secret).digest()[0] >> 4;

/** Whether a text is words: Base64 has no spaces, and no letters beyond ASCII. */
export function isWords(text) {
  return wordsIn(text).length === COUNT;
}

function wordsIn(text) {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.flatMap((word) => word.match(/\p{Script=Han}|\P{Script=Han}+/gu));
}

/** The number of a word in its list, by the whole word or by a beginning that no other word has. */
function numberOf(word, list) {
  const typed = plain(word);
  const whole = list.findIndex((known) => plain(known) === typed);
  if (whole !== -1) return whole;
  const begun = list.filter((known) => plain(known).startsWith(typed));
  return begun.length === 1 ? list.indexOf(begun[0]) : -1;
}

/** Returns the 16 bytes of twelve words in one list, or undefined if a word is not in it or the checksum does not fit. */
function decode(words, list) {
  const numbers = words.map((word) => numberOf(word, list));
  if (numbers.includes(-1)) return undefined;
  const bits = numbers.map((number) => toBits(number, BITS)).join('');
  const bytes = bits.slice(0, 128).match(/.{8}/g);
  const secret = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  return Number.parseInt(bits.slice(128), 2) === checksumOf(secret) ? secret : undefined;
}

/** Returns the 16 bytes of twelve words in any list. */
export function readWords(text) {
  const words = wordsIn(text);
  check(words.length === COUNT, 'BAD_KEY', `the key has ${words.length} words instead of ${COUNT}`);
  for (const list of Object.values(LISTS)) {
    const secret = decode(words, list);
    if (secret) return secret;
  }
  return check(false, 'BAD_KEY', 'a word is in no list, or the checksum is wrong');
}

export function writeWords(secret, list) {
  const bits = [...secret].map((byte) => toBits(byte, 8)).join('') + toBits(checksumOf(secret), 4);
  return bits.match(/.{11}/g).map((number) => list[Number.parseInt(number, 2)].normalize('NFC'));
}

export const keyOfSecret = (secret) => Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'furoshiki/words', 32));
