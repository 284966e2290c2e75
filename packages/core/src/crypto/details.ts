// What format 2 hides from the server: the details of each file, and the list of all files of a page.
import * as z from 'zod/mini';
import { Failure } from '../errors.ts';
import { MAX_FILE_NAME_LENGTH, MAX_FILES_PER_PAGE, MAX_NOTE_LENGTH } from '../plan/limits.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { packChunk } from './chunk.ts';
import { FORMAT_2 } from './derived-keys.ts';
import { IV_BYTES } from './sizes.ts';
import { type CipherKey, gcm, type Subtle } from './web-crypto.ts';

const fileDetails = z.object({
  /** May be a path within a folder. */
  name: z.string().check(z.minLength(1), z.maxLength(MAX_FILE_NAME_LENGTH)),
  type: z.string(),
  /** Without padding. */
  size: z.int().check(z.positive()),
  /** Epoch seconds. */
  modifiedAt: z.optional(z.int()),
  /** As stored. If present, a wrong value from the server is detected before a download is counted. */
  fileSize: z.optional(z.int()),
  chunkSize: z.optional(z.int()),
});
export type FileDetails = z.infer<typeof fileDetails>;

const note = z.optional(z.string().check(z.maxLength(MAX_NOTE_LENGTH)));
const pageList = z.object({
  /** The salts of all files, in order. */
  files: z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_FILES_PER_PAGE)),
  /** Both for the recipient. */
  title: note,
  message: note,
});
export type PageList = z.infer<typeof pageList>;

/** JSON is filled with spaces to a multiple of this, to hide the length of names and notes. */
const TEXT_STEP_BYTES = 256;

/** `iv` must be 12 fresh random bytes. `hidesLength`: hides the length of the name. Returns Base64. */
export function sealDetails(
  subtle: Subtle,
  detailsKey: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  fileSalt: string,
  details: FileDetails,
  hidesLength: boolean,
): Promise<string> {
  const json = utf8(JSON.stringify(details));
  return seal(subtle, detailsKey, iv, detailsAad(fileSalt), hidesLength ? withSpaces(json) : json);
}

/** Throws DECRYPTION_FAILED if they are not the details of this file. */
export function openDetails(
  subtle: Subtle,
  detailsKey: CipherKey,
  fileSalt: string,
  sealed: string,
): Promise<FileDetails> {
  return open(subtle, detailsKey, detailsAad(fileSalt), sealed, fileDetails);
}

/** `iv` must be 12 fresh random bytes. Returns Base64. */
export function sealList(
  subtle: Subtle,
  detailsKey: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  pageSalt: string,
  list: PageList,
): Promise<string> {
  return seal(subtle, detailsKey, iv, listAad(pageSalt), withSpaces(utf8(JSON.stringify(list))));
}

/** Throws DECRYPTION_FAILED if it is not the list of this page. */
export function openList(subtle: Subtle, detailsKey: CipherKey, pageSalt: string, sealed: string): Promise<PageList> {
  return open(subtle, detailsKey, listAad(pageSalt), sealed, pageList);
}

const detailsAad = (fileSalt: string) => utf8(JSON.stringify([`${FORMAT_2} details`, fileSalt]));
const listAad = (pageSalt: string) => utf8(JSON.stringify([`${FORMAT_2} list`, pageSalt]));

async function seal(
  subtle: Subtle,
  key: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  aad: Uint8Array<ArrayBuffer>,
  json: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const body = new Uint8Array(await subtle.encrypt(gcm(iv, aad), key, json));
  return toBase64(packChunk({ iv, body }));
}

async function open<Schema extends z.core.$ZodType>(
  subtle: Subtle,
  key: CipherKey,
  aad: Uint8Array<ArrayBuffer>,
  sealed: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const bytes = fromBase64(sealed) ?? new Uint8Array();
  try {
    const plain = await subtle.decrypt(gcm(bytes.slice(0, IV_BYTES), aad), key, bytes.slice(IV_BYTES));
    return z.parse(schema, JSON.parse(new TextDecoder().decode(plain)));
  } catch (cause) {
    throw new Failure('DECRYPTION_FAILED', {}, { cause });
  }
}

/** JSON may end with spaces. */
function withSpaces(json: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const filled = new Uint8Array(Math.ceil(json.length / TEXT_STEP_BYTES) * TEXT_STEP_BYTES).fill(0x20);
  filled.set(json);
  return filled;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
