// Opens the database and the object store that the configuration selects, for the server and for the admin commands.
import { createDiskStore } from './adapters/disk/disk-store.ts';
import { createPostgresMetadataStore, createSqlMetadataStore } from './adapters/sql/metadata-store.ts';
import { openSqlite } from './adapters/sql/sqlite/sqlite.ts';
import { type Config, StartError } from './config/config.ts';
import { type DataFolder, dataPaths, openDataFolder } from './config/data-folder.ts';
import type { MetadataStore } from './ports/metadata-store.ts';
import type { ObjectStore, RemoteStore, ServedStore } from './ports/object-store.ts';
import { type Claim, claimStore } from './services/store-owner.ts';
import { createSigner, type Signer } from './signing.ts';

/** Clients give up after 10 seconds, so a longer statement would be wasted work. */
const STATEMENT_MS = 10_000;

const CLAIM_PROBLEMS: Record<Exclude<Claim, 'ours'>, string> = {
  'of-another-database': 'belongs to another database',
  'has-unknown-files': 'has files that the database does not know, and that would be removed',
  'has-none-of-our-files': 'has none of the files that the database knows',
};

export interface OpenedObjects {
  objects: ObjectStore;
  /** The same store, if its bytes pass through this server. */
  served: ServedStore | undefined;
  /** The same store, if browsers connect to it directly. */
  remote: RemoteStore | undefined;
  /** The store's name in messages for the operator. */
  storeName: string;
}

export interface OpenedStores extends OpenedObjects {
  signer: Signer;
  metadata: MetadataStore;
}

/** Throws a StartError if a store cannot be used, or if the object store does not belong to the database. */
export async function openStores(config: Config): Promise<OpenedStores> {
  const folder = await openFolder(config);
  const signer = createSigner(folder.secret);
  const metadata = await openMetadata(config, folder.database);
  const opened = await openObjects(config, folder.objects, signer);
  await claimOrThrow(config, metadata, opened);
  return { ...opened, signer, metadata };
}

/** If this machine stores nothing, there is no folder. Several servers then share the work, so they need one given secret. */
async function openFolder({ DATABASE_URL, S3_BUCKET, SECRET, DATA_DIR }: Config): Promise<DataFolder> {
  if (DATABASE_URL === undefined || S3_BUCKET === undefined)
    return openDataFolder(DATA_DIR, SECRET, S3_BUCKET === undefined);
  if (SECRET === undefined) throw new StartError('SECRET must be set together with DATABASE_URL and S3_BUCKET');
  return { ...dataPaths(DATA_DIR), secret: Buffer.from(SECRET) };
}

async function claimOrThrow(
  config: Config,
  metadata: MetadataStore,
  { objects, storeName }: OpenedObjects,
): Promise<void> {
  // With a database or bucket elsewhere, one of them can be replaced without the other.
  const areSeparate = config.DATABASE_URL !== undefined || config.S3_BUCKET !== undefined;
  let claim: Claim;
  try {
    claim = await claimStore({ metadata, objects }, areSeparate);
  } catch (cause) {
    throw new StartError(`${storeName} cannot be used (${(cause as Error).name})`, { cause });
  }
  if (claim !== 'ours') throw new StartError(`${storeName} ${CLAIM_PROBLEMS[claim]}: see docs/OPERATING.md`);
}

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

export async function openObjects(config: Config, folder: string, signer: Signer): Promise<OpenedObjects> {
  const { S3_BUCKET: bucket } = config;
  if (bucket === undefined) {
    const disk = createDiskStore(folder, signer);
    return { objects: disk, served: disk, remote: undefined, storeName: folder };
  }
  const settings = { ...s3Settings(config), bucket };
  const storeName = `the bucket ${bucket}`;
  // Imported only if needed: the SDK takes a tenth of a second and 30 MB of memory.
  if (config.S3_PROXY) {
    const { createS3ProxyStore } = await import('./adapters/s3/s3-proxy-store.ts');
    const served = await createS3ProxyStore(settings, signer);
    return { objects: served, served, remote: undefined, storeName };
  }
  const { createS3Store } = await import('./adapters/s3/s3-store.ts');
  const remote = await createS3Store(settings);
  return { objects: remote, served: undefined, remote, storeName };
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

/** Migration and socket errors wrap the real reason. None of these texts contains the password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
