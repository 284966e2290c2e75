// Plans how a file of a page is fetched: the stored range of each chunk, and what it is encrypted with.
import {
  type ByteRange,
  type CipherKey,
  checkedPlanOfChunks,
  Failure,
  MB,
  type PageFile,
  type PartPlan,
  planOfChunks,
  type SealedFile,
  storedRange,
} from '@furoshiki/core';
import type { ChunkToFetch, Resumable } from '../../ports.ts';

const ONE_FETCH_BYTES = 100 * MB;
const MAX_PLAIN_CHUNK_BYTES = 25 * MB;

export interface FetchPlan extends PartPlan {
  file: PageFile;
  /** Chunks of two files whose identities differ are never mixed in one. Without a key nothing is kept. */
  resumable: Resumable | undefined;
  rangeOf(index: number): ByteRange;
  encryptionOf(index: number): ChunkToFetch['encryption'];
}

/** If there is a key, every file must be encrypted: a server that claims otherwise is not trusted. */
export function planFetch(file: PageFile, key: CipherKey | undefined): FetchPlan {
  if (file.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (!file.isEncrypted && key === undefined) return planPlain(file);
  if (key === undefined) throw new Failure('KEY_EMPTY');
  if (!file.isEncrypted || file.salt === undefined) throw new Failure('DECRYPTION_FAILED');
  return planSealed(file, file.salt, key);
}

function planSealed(file: PageFile, salt: string, key: CipherKey): FetchPlan {
  const { fileName, fileSize, chunkSize, keyCheck } = file;
  // Each chunk authenticates the whole plan.
  const plan = checkedPlanOfChunks(fileSize, chunkSize);
  const sealedFile: SealedFile = { ...plan, fileName, salt };
  return {
    ...plan,
    file,
    // The key check represents the key, because a server could list the same file twice, once sealed under another key.
    resumable: { identity: JSON.stringify([salt, keyCheck, fileName, fileSize, chunkSize]), key },
    rangeOf: (index) => storedRange(plan, index, true),
    encryptionOf: (index) => ({ key, file: sealedFile, index }),
  };
}

function planPlain(file: PageFile): FetchPlan {
  const { fileSize } = file;
  const isWhole = fileSize <= ONE_FETCH_BYTES;
  const plan = planOfChunks(fileSize, isWhole ? fileSize : Math.min(MAX_PLAIN_CHUNK_BYTES, Math.floor(fileSize / 100)));
  return {
    ...plan,
    file,
    resumable: undefined,
    rangeOf: (index) => storedRange(plan, index, false),
    encryptionOf: () => undefined,
  };
}
