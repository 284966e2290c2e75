// Finds the key in what a user has typed or pasted: the key alone, with its label, in a message or in a link. Apart from key.ts,
// which home loads before its first paint.
import { FormatError } from './errors.ts';
import { decodePercents, splitKeyFromLink } from './key.ts';
import { fromBase64, KEY_BYTES } from './primitives.ts';
import { isWordShaped, mayHaveWords } from './word-text.ts';

const USUAL_LENGTH = { min: 40, max: 50 };
/** A message with its link is much shorter. */
const MAX_PASTED_LENGTH = 10_000;

/**
 * The 43 digits of 32 bytes, in either alphabet, not within a longer word. The last digit has only four bits. What
 * follows the padding may stand right behind it: a field of one line drops the line breaks of a pasted message.
 */
const KEY_IN_TEXT = /(?<![\w+/-])[\w+/-]{42}[AEIMQUYcgkosw048](?:=|(?![\w+/=-]))/u;
/** Links have slashes and ids, which are digits of Base64 too. */
const LINKS = /https?:[!-~]+/giu;
const LABEL = /^[^:：]{0,30}[:：]/u;
const QUOTES = /^["'`“”„‘’«»‹›「」『』<>()[\]*]+|["'`“”„‘’«»‹›「」『』<>()[\]*]+$/gu;

/** Whether the text is about as long as a key. Otherwise worth a warning in a log, but not an error. */
export function hasUsualKeyLength(text: string): boolean {
  const { length } = text.trim();
  return length >= USUAL_LENGTH.min && length <= USUAL_LENGTH.max;
}

/**
 * Returns the bytes of a typed or pasted key. Accepts white space anywhere, quotes, a label, the URL-safe alphabet,
 * missing padding, percent-encoding by a mail gateway, and a message or a "link with key" around it.
 */
export function parseKey(text: string): Uint8Array<ArrayBuffer> {
  if (text.length > MAX_PASTED_LENGTH) throw new FormatError('KEY_INVALID_CHARACTERS');
  const compact = findKey(text) ?? withoutLabel(text.replaceAll(/\s/gu, ''));
  if (compact === '') throw new FormatError('KEY_EMPTY');
  const digits = compact.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/u, '');
  if (!/^[A-Za-z0-9+/]*$/u.test(digits)) throw new FormatError('KEY_INVALID_CHARACTERS');
  // A single last digit has 6 bits, which are not a byte: the text was copied incompletely.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  const bytes = fromBase64(whole) ?? new Uint8Array();
  if (bytes.length !== KEY_BYTES || whole !== digits)
    throw new FormatError('KEY_INVALID_LENGTH', { byteCount: bytes.length });
  return bytes;
}

/**
 * Returns the bytes of a key that is written in Base64 or as words. `keyOfWords` reads words, and is called only if there may be
 * some, because it loads their lists.
 */
export async function parseKeyOrWords(
  text: string,
  keyOfWords: (text: string) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (isWordShaped(text)) return keyOfWords(text);
  try {
    return parseKey(text);
  } catch (thrown) {
    if (!mayHaveWords(text)) throw thrown;
    // What is wrong with a message that has no words either is what is wrong with its key.
    return keyOfWords(text).catch((other: unknown) => {
      throw other instanceof FormatError ? thrown : other;
    });
  }
}

/** Returns the first complete key of the text. */
function findKey(text: string): string | undefined {
  const searched = splitKeyFromLink(text).keyText ?? decodePercents(text.replaceAll(LINKS, ' '));
  return KEY_IN_TEXT.exec(searched)?.[0];
}

/** What remains is the key, or what the user took for it: its length and characters are reported. */
function withoutLabel(pasted: string): string {
  const part = splitKeyFromLink(pasted).keyText ?? decodePercents(pasted).replace(LABEL, '');
  return part.replace(/^(?:#?key=|#)/iu, '').replaceAll(QUOTES, '');
}
