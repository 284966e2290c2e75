// Which engines stand behind the ports: chosen by the configuration, the same for the server and for the operator's commands.
import { createDiskStore } from './adapters/disk/disk-store.ts';
import { createPostgresMetadataStore, createSqlMetadataStore } from './adapters/sql/metadata-store.ts';
import { openSqlite } from './adapters/sql/sqlite/sqlite.ts';
import { type Config, StartError } from './config/config.ts';
import type { MetadataStore } from './ports/metadata-store.ts';
import type { ObjectStore, RemoteStore, ServedStore } from './ports/object-store.ts';
import type { Signer } from './signing.ts';

/** A client waits 10 seconds for an answer: whatever takes longer works for nobody. */
const STATEMENT_MS = 10_000;

export async function openMetadata(config: Config, sqlitePath: string): Promise<MetadataStore> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections } = config;
  try {
    return url === undefined
      ? await createSqlMetadataStore(openSqlite(sqlitePath))
      : await createPostgresMetadataStore(url, { connections, statementMs: STATEMENT_MS });
  } catch (cause) {
    const name = url === undefined ? `the database ${sqlitePath}` : 'the database of DATABASE_URL';
    throw new StartError(`${name} cannot be used (${reasonOf(cause)})`, { cause });
  }
}

export interface OpenedObjects {
  objects: ObjectStore;
  /** The same store, where its bytes go through this server. */
  served: ServedStore | undefined;
  /** The same store, where browsers go to it by themselves. */
  remote: RemoteStore | undefined;
  /** What people call it. */
  place: string;
}

export async function openObjects(config: Config, folder: string, signer: Signer): Promise<OpenedObjects> {
  const { S3_BUCKET: bucket } = config;
  if (bucket === undefined) {
    const disk = createDiskStore(folder, signer);
    return { objects: disk, served: disk, remote: undefined, place: folder };
  }
  const settings = { ...s3Settings(config), bucket };
  const place = `the bucket ${bucket}`;
  // Loaded where it is used: the SDK takes a tenth of a second and thirty megabytes.
  if (config.S3_PROXY) {
    const { createS3ProxyStore } = await import('./adapters/s3/s3-proxy-store.ts');
    const served = await createS3ProxyStore(settings, signer);
    return { objects: served, served, remote: undefined, place };
  }
  const { createS3Store } = await import('./adapters/s3/s3-store.ts');
  const remote = await createS3Store(settings);
  return { objects: remote, served: undefined, remote, place };
}

function s3Settings(config: Config) {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new StartError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  return {
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    pathStyle: config.S3_PATH_STYLE,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined,
  };
}

/** Migrations and sockets wrap what really happened. None of these texts holds the password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
