// Many small files for one response: their grants, several at once, and their bytes, one file after the other.
import { Failure, SMALL_FILES } from '@furoshiki/api';
import { planOfChunks, storedSize } from '@furoshiki/format';
import type { LiveFile } from '../ports/metadata-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** As many as the database commits together. While their files are sent, as many more are taken: a client that stops gets no others. */
const GRANTS_AT_ONCE = 32;

/**
 * What is read before its turn: a store may take longer to find a file than to send it. If there are more responses, each of them
 * reads less ahead, so that clients that stall need no more memory than with the other transfers.
 */
const READ_AHEAD_BYTES = 256 * 1024;
const RESPONSES_IN_FULL = 10;
let openResponses = 0;

interface GrantedFile {
  id: string;
  file: LiveFile;
  size: number;
}

interface RefusedFile {
  id: string;
  error: unknown;
}

/** The bytes are exactly those of the file, or iterating over them fails. A block is valid until the next one is requested. */
export type SmallFile = (GrantedFile & { blocks: AsyncIterable<Uint8Array> }) | RefusedFile;

/** Takes a grant. `admit` is called before anything is spent, and may throw. */
export type TakeGrant = (id: string, admit: (file: LiveFile) => void) => Promise<LiveFile>;

/** Yields each file in the order of the ids. A file whose blocks are not wanted must not be skipped: end the iteration instead. */
export async function* readSmallFiles(
  store: Pick<ObjectStore, 'read'>,
  ids: readonly string[],
  takeGrant: TakeGrant,
): AsyncGenerator<SmallFile> {
  const admit = createBudget();
  const takeGrants = (from: number) =>
    Promise.all(ids.slice(from, from + GRANTS_AT_ONCE).map((id) => grantOrError(id, takeGrant, admit)));
  openResponses += 1;
  try {
    let taking = takeGrants(0);
    for (let from = 0; from < ids.length; from += GRANTS_AT_ONCE) {
      const taken = await taking;
      // While these are sent.
      taking = takeGrants(from + GRANTS_AT_ONCE);
      yield* readInOrder(store, taken);
    }
  } finally {
    openResponses -= 1;
  }
}

const sizeOf = ({ fileSize, chunkSize, isEncrypted }: LiveFile) =>
  storedSize(planOfChunks(fileSize, chunkSize), isEncrypted);

/** Refuses what is too large for this call. */
function createBudget(): (file: LiveFile) => void {
  let remaining: number = SMALL_FILES.maxBytes;
  return (file) => {
    const size = sizeOf(file);
    if (size > Math.min(SMALL_FILES.maxFileBytes, remaining)) throw new Failure('BODY_TOO_LARGE');
    remaining -= size;
  };
}

/** Never rejects: one file must not keep the others from being sent. */
async function grantOrError(
  id: string,
  takeGrant: TakeGrant,
  admit: (file: LiveFile) => void,
): Promise<GrantedFile | RefusedFile> {
  try {
    const file = await takeGrant(id, admit);
    return { id, file, size: sizeOf(file) };
  } catch (error) {
    return { id, error };
  }
}

async function* readInOrder(
  store: Pick<ObjectStore, 'read'>,
  files: readonly (GrantedFile | RefusedFile)[],
): AsyncGenerator<SmallFile> {
  const begun: Promise<SmallFile>[] = [];
  let aheadBytes = 0;
  const maxAheadBytes = () => READ_AHEAD_BYTES * Math.min(1, RESPONSES_IN_FULL / openResponses);
  for (const [index, current] of files.entries()) {
    for (let next = files[begun.length]; next; next = files[begun.length]) {
      const size = 'error' in next ? 0 : next.size;
      const fits = aheadBytes + size <= maxAheadBytes();
      if (!fits && begun.length > index) break;
      begun.push('error' in next ? Promise.resolve(next) : begin(store, next, fits));
      aheadBytes += size;
    }
    yield (await begun[index]) as SmallFile;
    aheadBytes -= 'error' in current ? 0 : current.size;
  }
}

/** Never rejects. A store that does not have the file, or fails, is found out before the head of the file is sent. */
async function begin(store: Pick<ObjectStore, 'read'>, granted: GrantedFile, isWhole: boolean): Promise<SmallFile> {
  const { id, file, size } = granted;
  const blocks = exactly(size, store.read(file.fileKey, 0, size));
  try {
    return { ...granted, blocks: isWhole ? await readWhole(blocks, size) : await startedWith(blocks) };
  } catch (error) {
    return { id, error };
  }
}

async function* exactly(size: number, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const block of blocks) {
    read += block.length;
    yield block;
  }
  if (read !== size) throw new Error('the stored bytes of a file are not as many as they were');
}

/** The memory of a block may be used again when the next one is requested, so it is copied. */
async function readWhole(blocks: AsyncIterable<Uint8Array>, size: number): Promise<AsyncIterable<Uint8Array>> {
  const whole = Buffer.allocUnsafe(size);
  let read = 0;
  for await (const block of blocks) {
    whole.set(block, read);
    read += block.length;
  }
  return one(whole);
}

async function* one(block: Uint8Array): AsyncGenerator<Uint8Array> {
  yield block;
}

/** Reads the first block now. */
async function startedWith(blocks: AsyncGenerator<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const first = await blocks.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (!first.done) yield first.value;
      yield* blocks;
    } finally {
      await blocks.return(undefined);
    }
  }
  return all();
}
