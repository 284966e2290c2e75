// One sealed chunk: IV(12) ‖ ciphertext ‖ tag(16), bound by its AAD to its file, its index and the number of chunks. The
// formats differ in the AAD, in the key (format 2 has one for each file) and in the padding (only format 2).
import { FormatError } from './errors.ts';
import { FORMAT_1, FORMAT_2 } from './derived-keys.ts';
import { type ByteRange, type PartPlan, plainRange, sealedRange } from './plan.ts';
import { type CipherKey, gcm, IV_BYTES, type Subtle } from './primitives.ts';

interface SealedFile1 extends PartPlan {
  format: 1;
  fileName: string;
  /** 16 random bytes, Base64. */
  salt: string;
}

interface SealedFile2 extends PartPlan {
  format: 2;
  salt: string;
  /** The rest of `fileSize` is padding. It is checked, but not authenticated by the chunks: the details say it. */
  contentSize: number;
}

/** What every chunk of a file is bound to. A chunk does not open if one of the fields in its AAD is wrong. */
export type SealedFile = SealedFile1 | SealedFile2;

export function chunkAad(file: SealedFile, index: number): Uint8Array<ArrayBuffer> {
  const { format, salt, fileSize, chunkSize, count } = file;
  const facts =
    format === 1
      ? [FORMAT_1, salt, file.fileName, fileSize, chunkSize, index, count]
      : [FORMAT_2, salt, chunkSize, index, count, fileSize];
  return new TextEncoder().encode(JSON.stringify(facts));
}

/** The bytes of chunk `index` that are content. Empty if the whole chunk is padding. */
export function contentRange(file: SealedFile, index: number): ByteRange {
  const { start, end } = plainRange(file, index);
  const contentEnd = file.format === 1 ? end : Math.min(Math.max(file.contentSize, start), end);
  return { start, end: contentEnd, length: contentEnd - start };
}

/** One chunk of a file, with the key that seals and opens it. */
export interface ChunkContext {
  key: CipherKey;
  file: SealedFile;
  /** Counted from 0. */
  index: number;
}

/** A sealed chunk in two pieces, so that a caller can write or send them without a copy. */
export interface SealedChunk {
  iv: Uint8Array<ArrayBuffer>;
  /** Ciphertext ‖ tag. */
  body: Uint8Array<ArrayBuffer>;
}

/**
 * Pads the content if it is shorter than its chunk. `iv` must be 12 fresh random bytes: a second use under the same key
 * breaks GCM. WebCrypto has copied `content` when this function returns its promise, so the caller may free that memory
 * at once.
 */
export async function sealChunk(
  subtle: Subtle,
  { key, file, index }: ChunkContext,
  iv: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<SealedChunk> {
  if (iv.length !== IV_BYTES || content.length !== contentRange(file, index).length)
    throw new FormatError('ENCRYPTION_FAILED');
  try {
    const plain = padTo(plainRange(file, index).length, content);
    return { iv, body: new Uint8Array(await subtle.encrypt(gcm(iv, chunkAad(file, index)), key, plain)) };
  } catch (cause) {
    throw new FormatError('ENCRYPTION_FAILED', {}, { cause });
  }
}

/** Returns the chunk as it is stored: IV ‖ ciphertext ‖ tag. */
export function packChunk({ iv, body }: SealedChunk): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(iv.length + body.length);
  packed.set(iv);
  packed.set(body, iv.length);
  return packed;
}

/**
 * Returns the content, without padding. Throws DECRYPTION_FAILED if the key, content, index, name or sizes do not belong
 * together.
 * WebCrypto has copied `sealed` when this function returns its promise, so the caller may reuse that memory at once.
 */
export async function openChunk(
  subtle: Subtle,
  { key, file, index }: ChunkContext,
  sealed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (sealed.length !== sealedRange(file, index).length) throw new FormatError('DECRYPTION_FAILED');
  try {
    const aad = chunkAad(file, index);
    const iv = sealed.slice(0, IV_BYTES);
    const plain = new Uint8Array(await subtle.decrypt(gcm(iv, aad), key, sealed.subarray(IV_BYTES)));
    const { length } = contentRange(file, index);
    if (plain.subarray(length).some((byte) => byte !== 0)) throw new FormatError('DECRYPTION_FAILED');
    return length === plain.length ? plain : plain.subarray(0, length);
  } catch (cause) {
    throw new FormatError('DECRYPTION_FAILED', {}, { cause });
  }
}

function padTo(length: number, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (content.length === length) return content;
  const padded = new Uint8Array(length);
  padded.set(content);
  return padded;
}
