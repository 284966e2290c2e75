// Two clients for one bucket: one sends requests, the other signs URLs with the address that browsers use.
import { S3Client } from '@aws-sdk/client-s3';
import { abortAtDeadline } from './s3-deadlines.ts';

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
