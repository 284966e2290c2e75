// Fetches the chunks of one file under its grant: several at once, passed on in order after each is opened.
import { asFailure, Failure, failureDuring } from '@furoshiki/api';
import {
  call,
  type CallPorts,
  isUrlRefused,
  retryFile,
  retryPart,
  type RetryPolicy,
  retryWhole,
  withRetries,
} from '../../resilience/retry.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import { indexesFrom, runLanes } from '../../concurrency/lanes.ts';
import type { ChunkFetcher, CutChunk, FetchedChunk, ReceivedStart } from '../../ports.ts';
import { IDLE_MS, withTimeouts } from '../../resilience/watchdog.ts';
import type { FetchPlan } from './fetch-plan.ts';
import type { ChunkState } from './machine.ts';
import type { ReceivedSmallFile, SmallFiles } from './small-files.ts';

/** No total limit: a slow transfer may take as long as it makes progress. */
const TIMEOUTS = { idleMs: IDLE_MS, totalMs: Number.POSITIVE_INFINITY };

/** If these fail, for example because a proxy cuts the response, a small file is received by itself. */
const ATTEMPTS_TOGETHER = 2;

/** Of a chunk. So the attempts that do not count end, too. */
const ENOUGH_SHARE = 0.01;

export interface ReceivePorts extends CallPorts {
  fetcher: ChunkFetcher;
  smallFiles: SmallFiles;
}

export interface Receiving {
  plan: FetchPlan;
  /** The first chunk that is not written yet. */
  firstIndex: number;
  lanes: number;
  wantsCrc32: boolean;
  signal: AbortSignal;
  /** Called when the server has given the grant. */
  onGranted(): void;
  onChunkChanged(index: number, chunk: ChunkState): void;
  /** Called for one chunk after the other, in order. */
  onChunk(chunk: FetchedChunk): Promise<void>;
}

/** Returns whether the server wants the download to be confirmed. */
export async function receiveFile(ports: ReceivePorts, receiving: Receiving): Promise<boolean> {
  const { signal } = receiving;
  const { file } = receiving.plan;
  let nextIndex = receiving.firstIndex;
  const onChunk = async (chunk: FetchedChunk) => {
    // A chunk may be all padding.
    if (chunk.bytes.length > 0) await receiving.onChunk(chunk);
    nextIndex += 1;
  };
  const policy = file.isEncrypted ? retryFile : () => 'stop' as const;
  return withRetries(ports, policy, signal, async (attempt) => {
    if (attempt <= ATTEMPTS_TOGETHER && nextIndex === 0) {
      const small = await ports.smallFiles.receive(receiving.plan, receiving.wantsCrc32, signal);
      if (small) return passOnSmall(small, { ...receiving, onChunk });
    }
    const { url, requiresDecryptionConfirmation } = await takeUrl(ports, receiving.plan, signal);
    receiving.onGranted();
    await receiveChunks(ports, { ...receiving, firstIndex: nextIndex, onChunk }, url);
    return requiresDecryptionConfirmation;
  });
}

/** Takes a grant. */
export async function takeUrl(
  ports: CallPorts,
  { grant }: FetchPlan,
  signal: AbortSignal,
): Promise<{ url: SharedUrl; requiresDecryptionConfirmation: boolean }> {
  const inFileInfo = (thrown: unknown) => {
    throw failureDuring('fileInfo', thrown);
  };
  const granted = await call(ports, 'takeGrant', grant, signal).catch(inFileInfo);
  const { presignedUrl, requiresDecryptionConfirmation } = granted;
  // The same browser gets the same grant again: renewing the URL does not count a download.
  const renew = async () => (await ports.api.call('takeGrant', grant, signal).catch(inFileInfo)).presignedUrl;
  return { url: createSharedUrl(presignedUrl, renew), requiresDecryptionConfirmation };
}

async function passOnSmall(
  { chunk, requiresDecryptionConfirmation }: ReceivedSmallFile,
  { onGranted, onChunkChanged, onChunk }: Receiving,
): Promise<boolean> {
  onGranted();
  onChunkChanged(0, { step: 'opening' });
  await onChunk(chunk);
  onChunkChanged(0, { step: 'written' });
  return requiresDecryptionConfirmation;
}

function receiveChunks(ports: ReceivePorts, receiving: Receiving, url: SharedUrl): Promise<void> {
  const { plan, firstIndex, lanes, signal } = receiving;
  let previous: Promise<void> = Promise.resolve();
  return runLanes(lanes, indexesFrom(firstIndex, plan.count), signal, async (index, laneSignal) => {
    const before = previous;
    const passOn = async () => {
      const chunk = await fetchOne(ports, receiving, url, index, laneSignal);
      await before;
      assertNotCancelled(laneSignal);
      await receiving.onChunk(chunk);
      receiving.onChunkChanged(index, { step: 'written' });
    };
    previous = passOn();
    await previous;
  });
}

/** Fetches one chunk, and retries. */
export function fetchOne(
  ports: ReceivePorts,
  { plan, wantsCrc32, onChunkChanged }: Pick<Receiving, 'plan' | 'wantsCrc32' | 'onChunkChanged'>,
  sharedUrl: SharedUrl,
  index: number,
  signal: AbortSignal,
): Promise<FetchedChunk> {
  const encryption = plan.encryptionOf(index);
  const range = plan.rangeOf(index);
  const policy = encryption === undefined && plan.count === 1 ? retryWhole : retryPart;
  let received: ReceivedStart | undefined;
  let freeAttempts = 0;

  /** Keeps what has arrived. An attempt that brought enough of the chunk does not count: on a bad line it arrives in the end. */
  function keep(cut: CutChunk): never {
    if (cut.received.length - (received?.length ?? 0) >= range.length * ENOUGH_SHARE) freeAttempts += 1;
    ({ received } = cut);
    throw new Failure('NETWORK');
  }

  const retry: RetryPolicy = (failure, attempt) => policy(failure, attempt - freeAttempts);
  return withRetries(ports, retry, signal, async () => {
    onChunkChanged(index, received ? { step: 'receiving', receivedBytes: received.length } : { step: 'waiting' });
    const url = await sharedUrl.get();
    try {
      const fetchWatched = async (watched: AbortSignal, onAlive: () => void) => {
        const onReceived = (receivedBytes: number) => {
          onAlive();
          onChunkChanged(
            index,
            receivedBytes < range.length ? { step: 'receiving', receivedBytes } : { step: 'opening' },
          );
        };
        const result = await ports.fetcher.fetch({ url, range, encryption, wantsCrc32, received }, onReceived, watched);
        // Also after a timeout, which does not wait for it.
        return 'received' in result ? keep(result) : result;
      };
      const fetchNow = () => withTimeouts(ports.clock, TIMEOUTS, signal, fetchWatched);
      return await ports.smallFiles.inTurn(plan, fetchNow);
    } catch (thrown) {
      if (isUrlRefused(asFailure(thrown))) sharedUrl.discard(url);
      throw failureDuring('storage', thrown);
    }
  });
}

export interface SharedUrl {
  get(): Promise<string>;
  /** Call when the storage refused this URL. Has no effect if it was renewed since. */
  discard(refused: string): void;
}

/** One signed URL for all lanes. When the storage refuses it, the lanes share one renewal. */
export function createSharedUrl(first: string, renew: () => Promise<string>): SharedUrl {
  let current: string | undefined = first;
  let renewal: Promise<string> | undefined;

  async function renewOnce(): Promise<string> {
    try {
      current = await renew();
      return current;
    } finally {
      // Also after a failure: the next attempt of any lane starts another renewal.
      renewal = undefined;
    }
  }

  return {
    async get() {
      if (current !== undefined) return current;
      renewal ??= renewOnce();
      return renewal;
    },
    discard(refused) {
      if (refused === current) current = undefined;
    },
  };
}
