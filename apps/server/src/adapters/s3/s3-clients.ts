// The clients of one bucket, and the deadlines of their calls. A stream has a limit on silence instead of a deadline.
import { AsyncLocalStorage } from 'node:async_hooks';
import { S3Client } from '@aws-sdk/client-s3';
import { aroundCalls, unavailable } from '../../ports/store-failures.ts';
import { s3FailureOf } from './s3-errors.ts';

export interface S3Settings {
  bucket: string;
  region: string;
  /** Undefined means Amazon's endpoint of the region. */
  endpoint: string | undefined;
  /** The address that browsers use, if it differs. */
  publicEndpoint: string | undefined;
  /** Put the bucket's name into the path instead of the host name. */
  pathStyle: boolean;
  /** Undefined means the credentials of the machine, such as the role of an instance. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

export interface S3Clients {
  inside: S3Client;
  /** Only signs; it never connects. */
  outside: S3Client;
  /** Like `inside`, but sends each request only once. */
  withoutRetries: S3Client;
}

/** Leaves time for a second attempt within the deadline of an ordinary call (s3-deadlines.ts). */
const CONNECT_MS = 3000;
/** Maximum time of a stream without a byte in either direction: half of a proxy's 60 s. */
const SILENCE_MS = 30_000;
const CONNECTIONS = 500;
/** Errors are thrown to us. Without this, the SDK would also print them outside our log. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Two clients for one bucket: one sends requests, the other signs URLs with the address that browsers use. */
export function createS3Clients(settings: S3Settings, silenceMs = SILENCE_MS): S3Clients {
  const clientFor = (endpoint: string | undefined, { maxAttempts = 3, socketTimeout = silenceMs } = {}) =>
    new S3Client({
      maxAttempts,
      region: settings.region,
      forcePathStyle: settings.pathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(settings.credentials ? { credentials: settings.credentials } : {}),
      // AES-GCM already authenticates the bytes. A default checksum would be part of signed URLs, before the body is known,
      // and many stores refuse it.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      logger: SILENT,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout,
        httpAgent: { maxSockets: CONNECTIONS },
        httpsAgent: { maxSockets: CONNECTIONS },
      },
    });
  return {
    inside: abortAtDeadline(clientFor(settings.endpoint)),
    outside: clientFor(settings.publicEndpoint ?? settings.endpoint),
    // It completes uploads, which a store may do silently: only the deadline ends it.
    withoutRetries: abortAtDeadline(clientFor(settings.endpoint, { maxAttempts: 1, socketTimeout: 0 })),
  };
}

function ignore(): void {}

interface S3Deadlines {
  /** Clients give up an ordinary call after 10 s. The rest is for the database. */
  ordinaryMs: number;
  /**
   * Some stores copy the parts of a large file when it is completed. Clients repeat this call for minutes. With the calls of
   * the database, it takes less than the 60 s that a proxy waits.
   */
  completionMs: number;
}

export const S3_DEADLINES: S3Deadlines = { ordinaryMs: 8000, completionMs: 25_000 };

/** Streams, what sends no request, and what sends many: each of them has a deadline. */
const WITHOUT_DEADLINE = new Set(['read', 'writePart', 'unsignedUrls', 'takenBytes', 'deleteAll', 'purgeAll']);

const deadlineOfCall = new AsyncLocalStorage<AbortSignal>();

/** Gives every method of the store its deadline, and translates its errors. */
export function withDeadlines<Store extends object>(store: Store, deadlines: S3Deadlines): Store {
  const msOf = (method: string) => (method === 'completeUpload' ? deadlines.completionMs : deadlines.ordinaryMs);
  return aroundCalls(store, {
    run: (method, call) =>
      WITHOUT_DEADLINE.has(method) ? call() : within(msOf(method), call as () => Promise<unknown>),
    failed: s3FailureOf,
  });
}

/** Rejects when the time is over, and aborts the requests of the call. */
export async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const aborting = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    aborting.abort();
    late.reject(unavailable('ETIMEDOUT'));
  }, ms);
  try {
    return await Promise.race([deadlineOfCall.run(aborting.signal, call), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the client abort its requests at the deadline of the call that sent them. */
function abortAtDeadline(client: S3Client): S3Client {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options: { abortSignal?: unknown } = {}) => {
    const signals = [options.abortSignal, deadlineOfCall.getStore()].filter((signal) => signal instanceof AbortSignal);
    return handle(request, { ...options, abortSignal: AbortSignal.any(signals) });
  };
  return client;
}
