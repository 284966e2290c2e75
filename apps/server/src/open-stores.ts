// Opens the database and the object store that the configuration selects, for the server and for the admin commands.
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createDiskStore } from './adapters/disk/disk-store.ts';
import { objectFiles } from './adapters/disk/object-files.ts';
import {
  createPostgresMetadataStore,
  createSqlMetadataStore,
  inspectDatabase,
  type InspectedDatabase,
} from './adapters/sql/metadata-store.ts';
import { openPostgres } from './adapters/sql/postgres.ts';
import { NewerDatabaseError, schemaAgeOfFile } from './adapters/sql/migrations.ts';
import { copySqlite, knowsSchema, openRestored } from './adapters/sql/sqlite/sqlite-copy.ts';
import { openSqlite } from './adapters/sql/sqlite/sqlite.ts';
import { type Config, StartError } from './config/config.ts';
import {
  type DataFolder,
  type DataPaths,
  dataPaths,
  LOCK_WAIT_MS,
  lockDataFolder,
  openDataFolder,
  removeAbandonedBackup,
  type Waiting,
} from './config/data-folder.ts';
import { assertSharedSecret, keptHere, s3Credentials, usesDataFolder } from './config/settings.ts';
import { adviceFor, reasonOf } from './diagnosis.ts';
import type { EmbeddedStores } from './ports/backup.ts';
import type { Clock } from './ports/clock.ts';
import type { MetadataStore } from './ports/metadata-store.ts';
import type { RemoteStore, ServedStore } from './ports/object-store.ts';
import { claimStore, factsOf, type NamedStore, orUnusable } from './services/store-ownership.ts';
import { createSigner, type Signer } from './signing.ts';

export type { InspectedDatabase };

/** With the wait for a connection less than the 10 seconds after which clients give up. */
export const STATEMENT_MS = 5000;

export interface OpenedObjects extends NamedStore {
  /** The same store, if its bytes pass through this server. */
  served: ServedStore | undefined;
  /** The same store, if browsers connect to it directly. */
  remote: RemoteStore | undefined;
}

interface OpenedStores extends OpenedObjects {
  signer: Signer;
  metadata: MetadataStore;
  /** Lets another server use the data folder. Called last. */
  releaseFolder(): void;
}

/**
 * Throws a StartError if a store cannot be used, if the object store does not belong to the database, or if another server
 * uses the data folder.
 */
export async function openStores(config: Config, waiting: Waiting = { waitMs: LOCK_WAIT_MS }): Promise<OpenedStores> {
  assertSharedSecret(config);
  // If this machine stores nothing, there is no folder.
  const lock = usesDataFolder(config) ? await lockDataFolder(config.DATA_DIR, keptHere(config), waiting) : undefined;
  const releaseFolder = () => lock?.release();
  try {
    if (lock) await removeAbandonedBackup(config.DATA_DIR);
    return { ...(await openInFolder(config, await openFolder(config))), releaseFolder };
  } catch (error) {
    releaseFolder();
    throw error;
  }
}

async function openInFolder(config: Config, folder: DataFolder): Promise<Omit<OpenedStores, 'releaseFolder'>> {
  const signer = createSigner(folder.secret);
  const opened = await openObjects(config, folder.objects, signer);
  const metadata = await openMetadata(config, folder.database);
  try {
    const database = await orNoDatabase(config, folder.database, async () => {
      // A database that is read-only opens too.
      await metadata.ping();
      return factsOf(metadata);
    });
    await claimStore(config, database, opened);
    await rm(folder.unclaimed, { force: true });
  } catch (error) {
    await metadata.close();
    throw error;
  }
  return { ...opened, signer, metadata };
}

async function openFolder(config: Config): Promise<DataFolder> {
  const { DATA_DIR, SECRET } = config;
  if (SECRET === undefined || usesDataFolder(config)) return openDataFolder(DATA_DIR, SECRET, keptHere(config));
  return { ...dataPaths(DATA_DIR), secret: Buffer.from(SECRET) };
}

export async function openMetadata(config: Config, sqlitePath: string): Promise<MetadataStore> {
  const { DATABASE_URL: url } = config;
  return orNoDatabase(config, sqlitePath, () =>
    url === undefined
      ? createSqlMetadataStore(openSqlite(sqlitePath))
      : createPostgresMetadataStore(url, poolLimits(config)),
  );
}

/** Opens an existing database for the doctor: it is neither migrated nor changed in any other way. */
export async function inspectMetadata(config: Config, sqlitePath: string): Promise<InspectedDatabase> {
  const { DATABASE_URL: url } = config;
  return orNoDatabase(config, sqlitePath, async () => {
    if (url !== undefined) return inspectDatabase(openPostgres(url, poolLimits(config)));
    // Opening rewrites a database of an older version.
    const schema = schemaAgeOfFile(sqlitePath);
    return schema === 'current' ? inspectDatabase(openSqlite(sqlitePath)) : { schema, metadata: undefined };
  });
}

const poolLimits = ({ DATABASE_CONNECTIONS }: Config) => ({
  connections: DATABASE_CONNECTIONS,
  statementMs: STATEMENT_MS,
});

/** Throws a StartError that names the database if it cannot be opened. */
async function orNoDatabase<T>({ DATABASE_URL: url }: Config, sqlitePath: string, open: () => Promise<T>): Promise<T> {
  const name = url === undefined ? `the database ${sqlitePath}` : 'the database of DATABASE_URL';
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof NewerDatabaseError)
      throw new StartError(`${name} is from a newer version of Furoshiki`, {
        cause,
        advice: 'start that version, or restore the back-up from before the upgrade',
      });
    const advice = adviceFor(cause, url === undefined ? 'sqlite' : 'postgres', dirname(sqlitePath));
    throw new StartError(`${name} cannot be used (${reasonOf(cause)})`, { cause, advice });
  }
}

/** What a backup and a restore work with. They need SQLite and the disk. */
export function embeddedStores(config: Config, { database, objects }: DataPaths, clock: Clock): EmbeddedStores {
  return {
    objectFiles: objectFiles(objects),
    knowsSchema,
    openRestored,
    copyDatabase: (folder) =>
      orNoDatabase(config, database, async () => {
        if (schemaAgeOfFile(database) === 'empty') throw new Error('it has no tables');
        return copySqlite(database, folder, clock.nowMs());
      }),
  };
}

export async function openObjects(config: Config, folder: string, signer: Signer): Promise<OpenedObjects> {
  const { S3_BUCKET: bucket } = config;
  if (bucket === undefined) {
    const disk = createDiskStore(folder, signer);
    return { objects: disk, served: disk, remote: undefined, storeName: folder };
  }
  const settings = s3Settings(config, bucket);
  const storeName = `the bucket ${bucket}`;
  return orUnusable(config, storeName, async () => {
    // Imported only if needed: the SDK takes a tenth of a second and 30 MB of memory.
    if (config.S3_PROXY) {
      const { createS3ProxyStore } = await import('./adapters/s3/s3-store.ts');
      const served = await createS3ProxyStore(settings, signer);
      return { objects: served, served, remote: undefined, storeName };
    }
    const { createS3Store } = await import('./adapters/s3/s3-store.ts');
    const remote = await createS3Store(settings);
    return { objects: remote, served: undefined, remote, storeName };
  });
}

const s3Settings = (config: Config, bucket: string) => ({
  bucket,
  region: config.S3_REGION,
  endpoint: config.S3_ENDPOINT,
  publicEndpoint: config.S3_PUBLIC_ENDPOINT,
  pathStyle: config.S3_PATH_STYLE,
  credentials: s3Credentials(config),
});
