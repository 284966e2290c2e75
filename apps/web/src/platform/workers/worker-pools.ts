// The page's side of the workers: a call is a promise, with progress and a signal to abort it. A few workers share the
// calls of one kind, because WebCrypto runs in parallel across workers, not within one. ADR 11 and ADR 14 have the
// figures.
import { Failure, type FailureCode } from '@furoshiki/api';
import { MB, plainRange } from '@furoshiki/format';
import { assertNotCancelled, type ChunkFetcher, type PartSender, type SmallFilesFetcher } from '@furoshiki/transfer';
import type { Looked } from '../../services.ts';
import { addressOf } from '../device/site.ts';
import { partsInMemoryOf, sealersFor } from '../device/transfer-limits.ts';
import { createSpooledSender, type PartSpool, type UploadRequest } from '../uploads/spooled-sender.ts';
import type { FetchCall, FetchedFile, FetchResult, FromWorker, ToWorker } from './serve-calls.ts';
import { type WorkerName, workerUrl } from './trusted-types.ts';

/** Small parts share a worker, because starting one takes longer than sending them. */
const SENT_FROM_MEMORY = 8 * MB;

export function createWorkerPartSender(partSpool: PartSpool): PartSender<File> {
  const shared = {
    kind: 'upload',
    workersFor: ({ file }: UploadRequest) => sealersFor(file.chunkSize),
    bytesOf: ({ file, index }: UploadRequest) => plainRange(file, index).length,
  } as const;
  const fromDisk = createWorkerPool<UploadRequest, string>({
    ...shared,
    bytesPerWorker: Number.POSITIVE_INFINITY,
    onIdle: partSpool.clear,
  });
  // Chromium frees memory that was sent only when its worker ends.
  const fromMemory = createWorkerPool<UploadRequest, string>({ ...shared, bytesPerWorker: SENT_FROM_MEMORY });

  return createSpooledSender(partSpool, { fromDisk, fromMemory, inMemory: partsInMemoryOf });
}

const WORKERS = 2;
/** ADR 11 has the figures. */
const BYTES_PER_WORKER = 500 * MB;

/** Fetches and opens chunks, and many small files at once, in workers. */
export function createWorkerFetchers(): { fetcher: ChunkFetcher; smallFilesFetcher: SmallFilesFetcher } {
  const pool = createWorkerPool<FetchCall, FetchResult, FetchedFile>({
    kind: 'fetch',
    workersFor: () => WORKERS,
    bytesOf: (call) => ('files' in call ? call.files.reduce((sum, { length }) => sum + length, 0) : call.range.length),
    bytesPerWorker: BYTES_PER_WORKER,
  });
  return {
    fetcher: { fetch: async (...call) => (await pool.call(...call)) as NonNullable<FetchResult> },
    smallFilesFetcher: {
      async fetch({ path, ...request }, onFile, onReceived, signal) {
        const onItem = ({ index, file }: FetchedFile) => onFile(index, file);
        await pool.call({ ...request, path: addressOf(path) }, onReceived, signal, [], onItem);
      },
    },
  };
}

/** After this time without a call the workers end, which frees their memory. */
const WORKER_IDLE_MS = 3000;

interface PoolOptions<Call> {
  kind: Extract<WorkerName, 'upload' | 'fetch'>;
  workersFor(call: Call): number;
  bytesOf(call: Call): number;
  /** Browsers free some memory of a call only when its worker ends, so a worker is replaced after so many bytes. */
  bytesPerWorker: number;
  /** Called when the workers have ended because there were no calls. */
  onIdle?(): void;
}

export type WorkerPool<Call, Result, Item = never> = Pick<WorkerCaller<Call, Result, Item>, 'call'>;

interface PooledWorker<Call, Result, Item> {
  caller: WorkerCaller<Call, Result, Item>;
  bytesRemaining: number;
}

/** A few workers that share the calls of one kind: WebCrypto runs in parallel across workers, not within one. */
function createWorkerPool<Call, Result, Item = never>(options: PoolOptions<Call>): WorkerPool<Call, Result, Item> {
  const { kind, workersFor, bytesOf, bytesPerWorker, onIdle } = options;
  let workers: PooledWorker<Call, Result, Item>[] = [];
  let runningCalls = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(call: Call): PooledWorker<Call, Result, Item> {
    workers = workers.filter(({ caller, bytesRemaining }) => !caller.isDead && bytesRemaining > 0);
    if (workers.length < workersFor(call))
      workers.push({ caller: createWorkerCaller(startWorker(kind)), bytesRemaining: bytesPerWorker });
    return workers.reduce((best, worker) => (worker.caller.busy < best.caller.busy ? worker : best));
  }

  function endAll(): void {
    for (const { caller } of workers) caller.end();
    onIdle?.();
  }

  return {
    async call(call, ...rest) {
      clearTimeout(idleTimer);
      runningCalls += 1;
      const worker = leastBusy(call);
      worker.bytesRemaining -= bytesOf(call);
      try {
        return await worker.caller.call(call, ...rest);
      } finally {
        runningCalls -= 1;
        if (worker.bytesRemaining <= 0 && worker.caller.busy === 0) worker.caller.end();
        if (runningCalls === 0) idleTimer = setTimeout(endAll, WORKER_IDLE_MS);
      }
    },
  };
}

export interface WorkerCaller<Call, Result, Item = never> {
  /** How many calls are running. */
  readonly busy: number;
  /** True after the worker has crashed or was ended. */
  readonly isDead: boolean;
  /** Buffers in `transfer` are transferred to the worker instead of copied. */
  call(
    call: Call,
    onProgress?: (bytes: number) => void,
    signal?: AbortSignal,
    transfer?: Transferable[],
    /** Called for each part of the result that is there already. */
    onItem?: (item: Item) => void,
  ): Promise<Result>;
  end(): void;
}

interface Pending<Result, Item> {
  resolve(result: Result): void;
  reject(failure: Failure): void;
  onProgress: ((bytes: number) => void) | undefined;
  onItem: ((item: Item) => void) | undefined;
}

/** The page's side of a worker: a call is a promise, with progress and a signal to abort it. */
export function createWorkerCaller<Call, Result, Item = never>(worker: Worker): WorkerCaller<Call, Result, Item> {
  const pending = new Map<number, Pending<Result, Item>>();
  let lastId = 0;
  let isLoaded = false;
  let isDead = false;
  const post = (message: ToWorker<Call>, transfer: Transferable[] = []) => worker.postMessage(message, transfer);

  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker<Result, Item>>) => {
    isLoaded = true;
    const call = pending.get(data.id);
    if (!call) return;
    if ('progress' in data) return call.onProgress?.(data.progress);
    if ('item' in data) return call.onItem?.(data.item);
    pending.delete(data.id);
    if ('failure' in data) call.reject(new Failure(data.failure.code, data.failure.details));
    else call.resolve(data.result);
  });

  function end(code: FailureCode, cause?: unknown): void {
    isDead = true;
    worker.terminate();
    for (const call of pending.values()) call.reject(new Failure(code, {}, { cause }));
    pending.clear();
  }
  // Before its first message, the script could not be loaded: a network error. After it, the worker threw: a bug.
  worker.addEventListener('error', (event) => end(isLoaded ? 'UNKNOWN' : 'NETWORK', event.message));

  return {
    get busy() {
      return pending.size;
    },
    get isDead() {
      return isDead;
    },
    call(call, onProgress, signal, transfer, onItem) {
      if (isDead) return Promise.reject(new Failure('UNKNOWN'));
      lastId += 1;
      const id = lastId;
      const abort = () => post({ id, abort: true });
      const result = new Promise<Result>((resolve, reject) => {
        pending.set(id, { resolve, reject, onProgress, onItem });
      });
      post({ id, call }, transfer);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      return result.finally(() => signal?.removeEventListener('abort', abort));
    },
    end: () => end('CANCELLED'),
  };
}

/** Ends the worker at once if the signal aborts, because decoding a picture cannot be interrupted. */
export async function lookInWorker(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Looked> {
  const worker = createWorkerCaller<Uint8Array<ArrayBuffer>, Looked>(startWorker('preview'));
  signal.addEventListener('abort', worker.end);
  try {
    assertNotCancelled(signal);
    return await worker.call(bytes, undefined, undefined, [bytes.buffer]);
  } finally {
    signal.removeEventListener('abort', worker.end);
    worker.end();
  }
}

type ServiceWorkerName = 'saver' | 'bystander';

export function registerSaver(): Promise<ServiceWorkerRegistration> {
  // The bystander keeps the saver from intercepting requests of our workers. Without it they are only slower.
  register('bystander', { scope: addressOf('/assets/') }).catch(() => undefined);
  return register('saver');
}

function register(name: ServiceWorkerName, options: RegistrationOptions = {}): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(workerUrl(name), { updateViaCache: 'none', ...options });
}

export function startWorker(kind: Exclude<WorkerName, ServiceWorkerName>): Worker {
  return new Worker(workerUrl(kind), { type: 'module' });
}
