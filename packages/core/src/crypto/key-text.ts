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

/** Reads a key as typed or pasted: white space anywhere, the URL-safe alphabet and missing padding are forgiven. */
export function parseKey(text: string): ParsedKey {
  const compact = text.replaceAll(/\s/gu, '');
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

/** The key with only its first and last four characters left readable. */
export function maskKey(keyBase64: string): string {
  return `${keyBase64.slice(0, 4)}${'•'.repeat(Math.max(0, keyBase64.length - 8))}${keyBase64.slice(-4)}`;
}
