// The key as people see it: 32 bytes <-> 44 characters of Base64, and every rule on what may be typed.
import { Failure } from '../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { KEY_BYTES } from './sizes.ts';

const USUAL_LENGTH = { min: 40, max: 50 };

export interface ParsedKey {
  bytes: Uint8Array<ArrayBuffer>;
  /** True where the text is shorter or longer than keys usually are. Worth a warning in a log, never a refusal. */
  unusualLength: boolean;
}

export function formatKey(bytes: Uint8Array): string {
  if (bytes.length !== KEY_BYTES) throw new Failure('KEY_INVALID_LENGTH', { byteCount: bytes.length });
  return toBase64(bytes);
}

/**
 * Reads a key as typed or pasted: white space anywhere, the URL-safe alphabet, missing padding, percent signs of a mail
 * gateway and a whole "link with key" around it are forgiven.
 */
export function parseKey(text: string): ParsedKey {
  const compact = keyPartOf(text.replaceAll(/\s/gu, ''));
  if (compact === '') throw new Failure('KEY_EMPTY');
  const digits = compact.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/u, '');
  if (!/^[A-Za-z0-9+/]*$/u.test(digits)) throw new Failure('KEY_INVALID_CHARACTERS');
  // A lone last digit holds 6 bits, which make no byte: it counts as a copy mistake in length.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  const bytes = fromBase64(whole) ?? new Uint8Array();
  if (bytes.length !== KEY_BYTES || whole !== digits)
    throw new Failure('KEY_INVALID_LENGTH', { byteCount: bytes.length });
  return { bytes, unusualLength: compact.length < USUAL_LENGTH.min || compact.length > USUAL_LENGTH.max };
}

/** The link with the key in its fragment, which no browser sends. Only where the sender asks for it. */
export function linkWithKey(link: string, keyBase64: string): string {
  return `${link}#key=${encodeURIComponent(keyBase64)}`;
}

/**
 * The key in the fragment of an address, and the address without it. Mail gateways turn `#` into `%23`, which makes the
 * fragment a part of the path: that is repaired.
 */
export function splitKeyFromLink(address: string): { link: string; keyText: string | undefined } {
  const found = /^(.*?)(?:#|%(?:25)*23)key(?:=|%(?:25)*3D)(.*)$/isu.exec(address);
  const [keyText] = found?.[2]?.split('&') ?? [];
  return { link: found?.[1] ?? address, keyText: keyText === undefined ? undefined : decodePercents(keyText) };
}

/** What is left of a paste once a link around it and the marks of percent-encoding are taken off. */
function keyPartOf(pasted: string): string {
  const part = splitKeyFromLink(pasted).keyText ?? decodePercents(pasted);
  return part.replace(/^(?:#?key=|#)/iu, '');
}

function decodePercents(text: string): string {
  // Twice encoded is what a gateway makes of a link that was right.
  const once = text.replaceAll(/%25/gu, '%');
  return once.replaceAll(/%(2B|2F|3D|2D|5F|23|0A|0D|20)/giu, (_, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return character.trim();
  });
}

/** The key with only its first and last four characters left readable. */
export function maskKey(keyBase64: string): string {
  return `${keyBase64.slice(0, 4)}${'•'.repeat(Math.max(0, keyBase64.length - 8))}${keyBase64.slice(-4)}`;
}
