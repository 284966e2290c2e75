// The key as users see and type it: 44 characters of Base64, alone, masked, with a label, in a message, or in the fragment of a
// link.
import { FormatError } from './errors.ts';
import { fromBase64, KEY_BYTES, toBase64 } from './primitives.ts';

export function formatKey(bytes: Uint8Array): string {
  if (bytes.length !== KEY_BYTES) throw new FormatError('KEY_INVALID_LENGTH', { byteCount: bytes.length });
  return toBase64(bytes);
}

/** Returns the link with the key in its fragment, which no browser sends. Only used if the sender chooses it. */
export function linkWithKey(link: string, keyBase64: string): string {
  return `${link}#key=${encodeURIComponent(keyBase64)}`;
}

/** A "link with key", taken apart. */
export interface SplitLink {
  link: string;
  keyText: string | undefined;
  /** Whether a browser sends the key to the server with the address. */
  isKeySent: boolean;
}

/**
 * Returns the key in the fragment of an address, and the address without it. Also finds a key after `%23`, because mail
 * gateways encode the `#`, which makes the fragment a part of the path: browsers send that part.
 */
export function splitKeyFromLink(address: string): SplitLink {
  const found = /^(.*?)(#|%(?:25)*23)key(?:=|%(?:25)*3D)(.*)$/isu.exec(address);
  if (!found) return { link: address, keyText: undefined, isKeySent: false };
  const [, link = '', separator = '', rest = ''] = found;
  const [keyText = ''] = rest.split('&');
  return { link, keyText: decodePercents(keyText), isKeySent: !`${link}${separator}`.includes('#') };
}

/** Removes the percent-encoding of every character that a key may have, and encoded white space. */
function decodePercents(text: string): string {
  // A gateway encodes a correct link a second time.
  const once = text.replaceAll(/%25/gu, '%');
  return once.replaceAll(/%(2B|2F|3D|2D|5F|23|0A|0D|20)/giu, (_, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return character.trim();
  });
}

/** Returns the key with only its first and last four characters readable. */
export function maskKey(keyBase64: string): string {
  return `${keyBase64.slice(0, 4)}${'•'.repeat(Math.max(0, keyBase64.length - 8))}${keyBase64.slice(-4)}`;
}

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
