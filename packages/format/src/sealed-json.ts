// JSON that is sealed with AES-256-GCM: details and list of a page, and the card of a request.
import * as z from 'zod/mini';
import { packChunk } from './chunk.ts';
import { FormatError } from './errors.ts';
import { type CipherKey, fromBase64, gcm, IV_BYTES, type Subtle, toBase64 } from './primitives.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** JSON is filled with spaces to a multiple of this, to hide the length of names and notes. */
const TEXT_STEP_BYTES = 256;

/** What is authenticated is an array, whose text both sides write in the same way. */
export const utf8Json = (value: unknown): Bytes => new TextEncoder().encode(JSON.stringify(value));

/** JSON may end with spaces. */
export function withSpaces(json: Bytes, length = Math.ceil(json.length / TEXT_STEP_BYTES) * TEXT_STEP_BYTES): Bytes {
  const filled = new Uint8Array(length).fill(0x20);
  filled.set(json);
  return filled;
}

/** `iv` must be 12 fresh random bytes. Returns Base64. */
export async function sealJson(subtle: Subtle, key: CipherKey, iv: Bytes, aad: Bytes, json: Bytes): Promise<string> {
  const body = new Uint8Array(await subtle.encrypt(gcm(iv, aad), key, json));
  return toBase64(packChunk({ iv, body }));
}

/** Throws DECRYPTION_FAILED if it does not open, or is not what the schema describes. */
export async function openJson<Schema extends z.core.$ZodType>(
  subtle: Subtle,
  key: CipherKey,
  aad: Bytes,
  sealed: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const bytes = fromBase64(sealed) ?? new Uint8Array();
  try {
    const plain = await subtle.decrypt(gcm(bytes.slice(0, IV_BYTES), aad), key, bytes.slice(IV_BYTES));
    return parsedJson(plain, schema);
  } catch (cause) {
    throw new FormatError('DECRYPTION_FAILED', {}, { cause });
  }
}

export function parsedJson<Schema extends z.core.$ZodType>(plain: ArrayBuffer, schema: Schema): z.output<Schema> {
  return z.parse(schema, JSON.parse(new TextDecoder().decode(plain)));
}
