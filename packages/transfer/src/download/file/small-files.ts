// Small files that wait at the same time are received together: one request for the grants and the bytes of all.
import {
  ACCESS_TOKEN_HEADER,
  API_PREFIX,
  asFailure,
  CSRF_HEADER,
  Failure,
  SMALL_FILES,
  SMALL_FILES_PATH,
} from '@furoshiki/api';
import type { SecurityToken } from '../../api/security-token.ts';
import { createGate } from '../../concurrency/lanes.ts';
import type { Clock, FetchedChunk, FetchedSmallFile, SmallFilesFetcher, SmallFileToFetch } from '../../ports.ts';
import { whenAllAbort } from '../../resilience/batching.ts';
import { isTransient } from '../../resilience/retry.ts';
import { IDLE_MS, withTimeouts } from '../../resilience/watchdog.ts';
import type { FetchPlan } from './fetch-plan.ts';

/** Files that begin together do not ask at exactly the same moment. */
const GATHER_MS = 10;
/** No total limit: a slow connection may take as long as it makes progress. */
const TIMEOUTS = { idleMs: IDLE_MS, totalMs: Number.POSITIVE_INFINITY };
const TOKEN_RETRIES = 3;
/** Of small files whose bytes are requested one by one. More would only wait in the platform, until they count as too slow. */
const ALONE_AT_ONCE = 16;

export interface ReceivedSmallFile {
  chunk: FetchedChunk;
  requiresDecryptionConfirmation: boolean;
}

export interface SmallFiles {
  isSmall(plan: FetchPlan): boolean;
  /**
   * Takes the grant of a small file and receives it, opened. Resolves to undefined if it must be received alone: it is not small,
   * no other one waits, or the server does not know this call. Throws what the grant or the chunk of a single file would.
   */
  receive(plan: FetchPlan, wantsCrc32: boolean, signal: AbortSignal): Promise<ReceivedSmallFile | undefined>;
  /** Runs a request for the bytes of one file, not too many at once if it is small. */
  inTurn<T>(plan: FetchPlan, run: () => Promise<T>): Promise<T>;
}

interface SmallFilesPorts {
  clock: Clock;
  token: SecurityToken;
  fetcher: SmallFilesFetcher;
}

interface WaitingFile {
  file: SmallFileToFetch;
  accessToken: string | undefined;
  signal: AbortSignal;
  resolve(received: ReceivedSmallFile | undefined): void;
  reject(failure: Failure): void;
}

export function createSmallFiles({ clock, token, fetcher }: SmallFilesPorts): SmallFiles {
  const waiting: WaitingFile[] = [];
  const alone = createGate(ALONE_AT_ONCE);
  let isSending = false;
  let isKnown = true;

  /** Sends what waits, until nothing does. While one request is under way, the next files gather. */
  async function sendAll(): Promise<void> {
    isSending = true;
    await clock.sleep(GATHER_MS, new AbortController().signal);
    while (waiting.length > 0) await send(takeGroup(waiting));
    isSending = false;
  }

  async function send(group: WaitingFile[]): Promise<void> {
    const files = group.filter(({ signal }) => !signal.aborted);
    const [first] = files;
    if (first === undefined) return;
    if (files.length === 1 || !isKnown) {
      for (const { resolve } of files) resolve(undefined);
      return;
    }
    const { signal, end } = whenAllAbort(files);
    const onFile = (index: number, fetched: FetchedSmallFile) => settle(files[index], fetched);
    try {
      await withTimeouts(clock, TIMEOUTS, signal, (watched, onAlive) =>
        withToken((headers) =>
          fetcher.fetch(
            {
              path: API_PREFIX + SMALL_FILES_PATH,
              headers: { ...headers, ...(first.accessToken && { [ACCESS_TOKEN_HEADER]: first.accessToken }) },
              files: files.map(({ file }) => file),
            },
            onFile,
            onAlive,
            watched,
          ),
        ),
      );
    } catch (thrown) {
      // Those that have arrived are settled already.
      const failure = asFailure(thrown);
      const isOverLimit = failure.code === 'RATE_LIMITED';
      if (!isOverLimit && (failure.code === 'CANCELLED' || isTransient(failure))) {
        for (const { reject } of files) reject(failure);
        return;
      }
      // An older server, or a proxy that refuses such a call.
      isKnown = isOverLimit;
      for (const { resolve } of files) resolve(undefined);
    } finally {
      end();
    }
  }

  async function withToken(run: (headers: Record<string, string>) => Promise<void>): Promise<void> {
    let text = await token.get();
    for (let retries = 0; ; retries += 1) {
      try {
        return await run({ [CSRF_HEADER]: text });
      } catch (thrown) {
        if (asFailure(thrown).code !== 'CSRF_TOKEN_EXPIRED' || retries === TOKEN_RETRIES) throw thrown;
        text = await token.renew(text);
      }
    }
  }

  return {
    isSmall,
    async receive(plan, wantsCrc32, signal) {
      const file = isKnown ? toFetch(plan, wantsCrc32) : undefined;
      if (!file) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedSmallFile | undefined>();
      const cancel = () => reject(new Failure('CANCELLED'));
      signal.addEventListener('abort', cancel, { once: true });
      waiting.push({ file, accessToken: plan.grant.headers?.[ACCESS_TOKEN_HEADER], signal, resolve, reject });
      if (!isSending) void sendAll();
      return promise.finally(() => signal.removeEventListener('abort', cancel));
    },
    inTurn: (plan, run) => (isSmall(plan) ? alone(run) : run()),
  };
}

/** Only an encrypted file: without a key, one file cannot be distinguished from another. */
function toFetch(plan: FetchPlan, wantsCrc32: boolean): SmallFileToFetch | undefined {
  const encryption = plan.encryptionOf(0);
  if (!encryption || !isSmall(plan)) return undefined;
  return { id: plan.file.id, length: plan.rangeOf(0).length, encryption, wantsCrc32 };
}

const isSmall = (plan: FetchPlan) => plan.count === 1 && plan.rangeOf(0).length <= SMALL_FILES.maxFileBytes;

/** Removes the first files that fit into one request. All have the same proof, as those of a page have. */
function takeGroup(waiting: WaitingFile[]): WaitingFile[] {
  let bytes = 0;
  const fits = ({ file, accessToken }: WaitingFile, index: number) => {
    bytes += file.length;
    const isWithin = index < SMALL_FILES.maxFiles && bytes <= SMALL_FILES.maxBytes;
    return isWithin && accessToken === waiting[0]?.accessToken;
  };
  const end = waiting.findIndex((file, index) => !fits(file, index));
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

function settle(waiting: WaitingFile | undefined, fetched: FetchedSmallFile): void {
  if ('chunk' in fetched) return waiting?.resolve(fetched);
  const { code, details } = fetched.failure;
  // Larger than this server wants to send with others.
  if (code === 'BODY_TOO_LARGE') return waiting?.resolve(undefined);
  return waiting?.reject(new Failure(code, details));
}
