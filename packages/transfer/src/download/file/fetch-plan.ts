// Plans how a file of a page is fetched: the stored range of each chunk, and what it is encrypted with.
import { ACCESS_TOKEN_HEADER, type CallInput, Failure } from '@furoshiki/api';
import { type ByteRange, MB, type OpenedFile, type PartPlan, planOfChunks, storedRange } from '@furoshiki/format';
import type { ChunkToFetch, Resumable } from '../../ports.ts';
import type { ShownFile } from '../page/page-machine.ts';

const ONE_FETCH_BYTES = 100 * MB;
const MAX_PLAIN_CHUNK_BYTES = 25 * MB;

/** Its `fileSize` includes padding, which is fetched too. */
export interface FetchPlan extends PartPlan {
  file: ShownFile;
  /** The bytes that are saved. */
  contentSize: number;
  /** The call that takes the grant. */
  grant: CallInput<'takeGrant'>;
  /** Chunks of two files whose identities differ are never mixed in one. Without a key nothing is kept. */
  resumable: Resumable | undefined;
  rangeOf(index: number): ByteRange;
  encryptionOf(index: number): ChunkToFetch['encryption'];
}

/**
 * An encrypted file must be opened first: only then it is known to be what the sender has sent. `hasKey`: the user has a key,
 * so a file that has become unencrypted since the page was opened is not the sender's.
 */
export function planFetch(file: ShownFile, hasKey = false): FetchPlan {
  if (file.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (file.opened) return planSealed(file, file.opened);
  if (file.isEncrypted) throw new Failure('KEY_EMPTY');
  if (hasKey) throw new Failure('PAGE_TAMPERED', { tampering: 'notEncrypted' });
  return planPlain(file);
}

function planSealed(file: ShownFile, { details, sealed, key, accessToken }: OpenedFile): FetchPlan {
  const { id, pageSalt, keyCheck } = file;
  const { fileSize, chunkSize, count, salt } = sealed;
  const plan = { fileSize, chunkSize, count };
  return {
    ...plan,
    file,
    contentSize: details.size,
    grant: {
      params: { id },
      ...(accessToken === undefined ? {} : { headers: { [ACCESS_TOKEN_HEADER]: accessToken } }),
    },
    // The key check represents the key, because a server could list the same file twice, once sealed under another key.
    resumable: {
      identity: JSON.stringify([salt, pageSalt, keyCheck, details.name, details.size, fileSize, chunkSize]),
      key,
    },
    rangeOf: (index) => storedRange(plan, index, true),
    encryptionOf: (index) => ({ key, file: sealed, index }),
  };
}

function planPlain(file: ShownFile): FetchPlan {
  const { id, fileSize } = file;
  const isWhole = fileSize <= ONE_FETCH_BYTES;
  const plan = planOfChunks(fileSize, isWhole ? fileSize : Math.min(MAX_PLAIN_CHUNK_BYTES, Math.floor(fileSize / 100)));
  return {
    ...plan,
    file,
    contentSize: fileSize,
    grant: { params: { id } },
    resumable: undefined,
    rangeOf: (index) => storedRange(plan, index, false),
    encryptionOf: () => undefined,
  };
}
