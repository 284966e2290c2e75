// Two clients for one bucket: one that we talk through, and one that signs URLs for where browsers reach it.
import { S3Client } from '@aws-sdk/client-s3';

export interface S3Settings {
  bucket: string;
  region: string;
  /** Undefined: Amazon's own, of the region. */
  endpoint: string | undefined;
  /** Where browsers reach the bucket, where that is another address. */
  publicEndpoint: string | undefined;
  /** The bucket's name in the path and not in the host name. */
  pathStyle: boolean;
  /** Undefined: what the machine has, such as the role of an instance. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

export interface S3Clients {
  inside: S3Client;
  /** It signs and never connects. */
  outside: S3Client;
}

const CONNECT_MS = 3000;
/** Without a byte in either direction. */
const SILENCE_MS = 30_000;
const CONNECTIONS = 500;
/** What fails is thrown to us. The SDK would print it besides, past our log. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function createS3Clients(settings: S3Settings): S3Clients {
  const clientFor = (endpoint: string | undefined) =>
    new S3Client({
      region: settings.region,
      forcePathStyle: settings.pathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(settings.credentials ? { credentials: settings.credentials } : {}),
      // Bytes are authenticated by who sealed them. A checksum that was not asked for would stand in signed URLs, for a body
      // that nobody has seen yet, and many stores refuse it.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      logger: SILENT,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
        httpAgent: { maxSockets: CONNECTIONS },
        httpsAgent: { maxSockets: CONNECTIONS },
      },
    });
  return {
    inside: clientFor(settings.endpoint),
    outside: clientFor(settings.publicEndpoint ?? settings.endpoint),
  };
}

function ignore(): void {}
