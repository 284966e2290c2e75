// How a file of a page is fetched: its chunks as stored, and what each of them is sealed with.
import {
  type ByteRange,
  type CipherKey,
  Failure,
  MAX_PARTS,
  MB,
  type PageFile,
  type PartPlan,
  planOfChunks,
  type SealedFile,
  storedRange,
} from '@furoshiki/core';
import type { ChunkToFetch } from '../../ports.ts';

const ONE_FETCH_BYTES = 100 * MB;
const MAX_PLAIN_CHUNK_BYTES = 25 * MB;

export interface FetchPlan extends PartPlan {
  fileName: string;
  /** What makes these bytes these bytes. Chunks of two files that differ in it never end in one. */
  identity: string;
  rangeOf(index: number): ByteRange;
  encryptionOf(index: number): ChunkToFetch['encryption'];
}

/** Whoever has a key was given sealed files: that a server calls one of them unencrypted is not believed. */
export function planFetch(file: PageFile, key: CipherKey | undefined): FetchPlan {
  if (file.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (!file.isEncrypted && key === undefined) return planPlain(file);
  if (key === undefined) throw new Failure('KEY_EMPTY');
  if (!file.isEncrypted || file.salt === undefined) throw new Failure('DECRYPTION_FAILED');
  const { fileName, salt } = file;
  return planSealed({ ...planOfChunks(file.fileSize, file.chunkSize), fileName, salt }, key, file.keyCheck);
}

function planSealed(file: SealedFile, key: CipherKey, keyCheck: string | undefined): FetchPlan {
  // Every chunk vouches for the whole plan, so a page that names no chunk at all could pass off an empty file as whole.
  if (!(file.count >= 1 && file.count <= MAX_PARTS)) throw new Failure('DECRYPTION_FAILED');
  const { fileSize, chunkSize, count, fileName, salt } = file;
  return {
    fileSize,
    chunkSize,
    count,
    fileName,
    // The check stands for the key: a server could name the same file twice, sealed once by somebody else.
    identity: JSON.stringify([salt, keyCheck, fileName, fileSize, chunkSize]),
    rangeOf: (index) => storedRange(file, index, true),
    encryptionOf: (index) => ({ file, key, index }),
  };
}

function planPlain({ id, fileName, fileSize }: PageFile): FetchPlan {
  const isWhole = fileSize <= ONE_FETCH_BYTES;
  const plan = planOfChunks(fileSize, isWhole ? fileSize : Math.min(MAX_PLAIN_CHUNK_BYTES, Math.floor(fileSize / 100)));
  return {
    ...plan,
    fileName,
    identity: JSON.stringify([id, fileName, fileSize]),
    rangeOf: (index) => storedRange(plan, index, false),
    encryptionOf: () => undefined,
  };
}
