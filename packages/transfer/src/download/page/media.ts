// Reads any part of a video or of a sound, so that it can be played and sought before it is saved. Fetches and opens the chunk that has
// the part, and keeps the last few. Its grant stays unconfirmed, as that of a preview does.
import { asFailure, Failure } from '@furoshiki/api';
import { planFetch } from '../file/fetch-plan.ts';
import { fetchOne, type ReceivePorts, type SharedUrl, takeUrl } from '../file/receive-file.ts';
import { canDownload, type PageAction, type PageState, type ShownFile } from './page-machine.ts';
import { isLimit } from './page-queue.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The one that plays, the next one, and one that was sought before. */
const CHUNKS_KEPT = 3;

/** Not MPEG transport streams, which no browser plays: systems also give this type to TypeScript, which is shown as text. */
const PLAYED_TYPES = /^(?:video\/(?!mp2t$)|audio\/)/u;
const PLAYED_NAMES = /\.(?:mp4|m4v|mov|webm|mkv|ogv|mp3|m4a|aac|flac|wav|ogg|oga|opus)$/iu;

/** Whether to offer to open the file. As for a preview, the content decides later. */
export function canPlay(state: PageState, file: ShownFile): boolean {
  const { type = '', folder } = file.opened?.details ?? {};
  const isPlayed = PLAYED_TYPES.test(type) || PLAYED_NAMES.test(file.fileName);
  return isPlayed && file.fileSize > 0 && folder === undefined && canDownload(state, file, 'click');
}

export interface OpenMedia {
  /** Of the whole file. */
  readonly size: number;
  /**
   * Returns bytes from this position on: at least one and at most `most`. Those of an encrypted file are authenticated. Throws a
   * Failure.
   */
  read(start: number, most: number): Promise<Bytes>;
  /** Ends what is being fetched, and frees the memory. */
  end(): void;
}

interface MediaOptions {
  hasKey: boolean | undefined;
  /** Ends it, also while the grant is being taken. */
  signal: AbortSignal;
  dispatch(action: PageAction): void;
  /** Called when the counts have changed. */
  onGranted(): Promise<void>;
}

interface Chunk {
  bytes: Promise<Bytes>;
  abort: AbortController;
}

/** Takes a grant, and fetches nothing yet. */
export async function openMedia(
  ports: ReceivePorts,
  file: ShownFile,
  { hasKey, signal: closed, dispatch, onGranted }: MediaOptions,
): Promise<OpenMedia> {
  const plan = planFetch(file, hasKey);
  const { contentSize: size, chunkSize } = plan;
  const ended = new AbortController();
  const endedOrClosed = AbortSignal.any([ended.signal, closed]);
  const url = await takeUrl(ports, plan, endedOrClosed).then(
    (taken) => taken.url,
    (thrown: unknown) => {
      if (isLimit(asFailure(thrown))) dispatch({ type: 'limitReached' });
      throw thrown;
    },
  );
  void onGranted();
  /** The one that was used last comes last. */
  const chunks = new Map<number, Chunk>();

  function chunkAt(index: number): Promise<Bytes> {
    const chunk = chunks.get(index) ?? load(url, index);
    chunks.delete(index);
    chunks.set(index, chunk);
    for (const [oldest, { abort }] of chunks) {
      if (chunks.size <= CHUNKS_KEPT) break;
      chunks.delete(oldest);
      abort.abort();
    }
    return chunk.bytes;
  }

  function load(from: SharedUrl, index: number): Chunk {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, endedOrClosed]);
    const fetching = fetchOne(ports, { plan, wantsCrc32: false, onChunkChanged: () => undefined }, from, index, signal);
    const chunk = { abort, bytes: fetching.then(({ bytes }) => bytes) };
    // The next read tries again.
    chunk.bytes.catch(() => {
      if (chunks.get(index) === chunk) chunks.delete(index);
    });
    return chunk;
  }

  return {
    size,
    async read(start, most) {
      if (endedOrClosed.aborted || start < 0 || start >= size) throw new Failure('CANCELLED');
      const index = Math.floor(start / chunkSize);
      const offset = start - index * chunkSize;
      const bytes = await chunkAt(index);
      // So that the next chunk is there when this one has been played.
      if (offset > chunkSize / 2 && (index + 1) * chunkSize < size) void chunkAt(index + 1).catch(() => undefined);
      return bytes.slice(offset, offset + most);
    },
    end() {
      ended.abort();
      chunks.clear();
    },
  };
}
