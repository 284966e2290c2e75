// The page's side of the workers: a call is a promise, with progress and a signal to abort it. A few workers share the
// calls of one kind, because WebCrypto runs in parallel across workers, not within one. ADR 11 and ADR 14 have the
// figures.
import { Failure, type FailureCode } from '@furoshiki/api';
import { MB, plainRange } from '@furoshiki/format';
import type { ChunkFetcher, ChunkToFetch, CutChunk, FetchedChunk, PartSender } from '@furoshiki/transfer';
import { addressOf } from '../device/site.ts';
import { partsInMemoryOf, sealersFor } from '../device/transfer-limits.ts';
import { createSpooledSender, type PartSpool, type UploadRequest } from '../uploads/spooled-sender.ts';
import type { FromWorker, ToWorker } from './serve-calls.ts';
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

/** Fetches and opens chunks in workers. */
export function createWorkerChunkFetcher(): ChunkFetcher {
  const pool = createWorkerPool<ChunkToFetch, FetchedChunk | CutChunk>({
    kind: 'fetch',
    workersFor: () => WORKERS,
    bytesOf: ({ range }) => range.length,
    bytesPerWorker: BYTES_PER_WORKER,
  });
  return { fetch: pool.call };
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

export type WorkerPool<Call, Result> = Pick<WorkerCaller<Call, Result>, 'call'>;

interface PooledWorker<Call, Result> {
  caller: WorkerCaller<Call, Result>;
  bytesRemaining: number;
}

/** A few workers that share the calls of one kind: WebCrypto runs in parallel across workers, not within one. */
function createWorkerPool<Call, Result>(options: PoolOptions<Call>): WorkerPool<Call, Result> {
  const { kind, workersFor, bytesOf, bytesPerWorker, onIdle } = options;
  let workers: PooledWorker<Call, Result>[] = [];
  let runningCalls = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function leastBusy(call: Call): PooledWorker<Call, Result> {
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
    async call(call, onProgress, signal) {
      clearTimeout(idleTimer);
      runningCalls += 1;
      const worker = leastBusy(call);
      worker.bytesRemaining -= bytesOf(call);
      try {
        return await worker.caller.call(call, onProgress, signal);
      } finally {
        runningCalls -= 1;
        if (worker.bytesRemaining <= 0 && worker.caller.busy === 0) worker.caller.end();
        if (runningCalls === 0) idleTimer = setTimeout(endAll, WORKER_IDLE_MS);
      }
    },
  };
}

export interface WorkerCaller<Call, Result> {
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
  ): Promise<Result>;
  end(): void;
}

interface Pending<Result> {
  resolve(result: Result): void;
  reject(failure: Failure): void;
  onProgress: ((bytes: number) => void) | undefined;
}

/** The page's side of a worker: a call is a promise, with progress and a signal to abort it. */
export function createWorkerCaller<Call, Result>(worker: Worker): WorkerCaller<Call, Result> {
  const pending = new Map<number, Pending<Result>>();
  let lastId = 0;
  let isLoaded = false;
  let isDead = false;
  const post = (message: ToWorker<Call>, transfer: Transferable[] = []) => worker.postMessage(message, transfer);

  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker<Result>>) => {
    isLoaded = true;
    const call = pending.get(data.id);
    if (!call) return;
    if ('progress' in data) return call.onProgress?.(data.progress);
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
    call(call, onProgress, signal, transfer) {
      if (isDead) return Promise.reject(new Failure('UNKNOWN'));
      lastId += 1;
      const id = lastId;
      const abort = () => post({ id, abort: true });
      const result = new Promise<Result>((resolve, reject) => {
        pending.set(id, { resolve, reject, onProgress });
      });
      post({ id, call }, transfer);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      return result.finally(() => signal?.removeEventListener('abort', abort));
    },
    end: () => end('CANCELLED'),
  };
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
