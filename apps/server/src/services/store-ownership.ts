// Whether database and object store belong together: the sweeper removes objects that the database does not know. The start and
// the doctor decide alike; only the start claims the store.
import { type Config, StartError } from '../config/config.ts';
import { dataPaths } from '../config/data-folder.ts';
import { adviceFor, reasonOf } from '../diagnosis.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { Stores } from './context.ts';

const PROBLEMS: Record<Mismatch, string> = {
  'of-another-database': 'belongs to another database',
  'has-unknown-files': 'has files that the database does not know, and that would be removed',
  'has-none-of-our-files': 'has none of the files that the database knows',
};

export interface NamedStore {
  objects: ObjectStore;
  /** The store's name in messages for the operator. */
  storeName: string;
}

/** Changes nothing. Throws a StartError if the store cannot be used or belongs to another database. */
export async function assertOwnStore(
  config: Config,
  database: DatabaseFacts | undefined,
  { objects, storeName }: { objects: Pick<ObjectStore, 'readOwner' | 'listKeys'>; storeName: string },
): Promise<'ours' | 'free'> {
  // With a database or bucket elsewhere, one of them can be replaced without the other.
  const areSeparate = config.DATABASE_URL !== undefined || config.S3_BUCKET !== undefined;
  const ownership = await orUnusable(config, storeName, () => findOwnership(database, objects, areSeparate));
  if (ownership === 'ours' || ownership === 'free') return ownership;
  throw new StartError(`${storeName} ${PROBLEMS[ownership]}`, { advice: 'see docs/OPERATING.md' });
}

/** Makes the database the owner of a free store. Servers that start at the same time all write the same owner. */
export async function claimStore(config: Config, database: DatabaseFacts, store: NamedStore): Promise<void> {
  if ((await assertOwnStore(config, database, store)) === 'free')
    await orUnusable(config, store.storeName, () => store.objects.writeOwner(database.id));
}

/** Throws a StartError that names the store if `work` fails. */
export async function orUnusable<T>(
  { S3_BUCKET, DATA_DIR }: Config,
  storeName: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const advice = adviceFor(cause, S3_BUCKET === undefined ? 'disk' : 's3', dataPaths(DATA_DIR).root);
    throw new StartError(`${storeName} cannot be used (${reasonOf(cause)})`, { cause, advice });
  }
}

type Mismatch = 'of-another-database' | 'has-unknown-files' | 'has-none-of-our-files';
/** A free store has no owner, and the database may claim it. */
type Ownership = 'ours' | 'free' | Mismatch;

/** What the decision needs to know of a database. */
interface DatabaseFacts {
  id: string;
  knowsFiles: boolean;
}

export async function factsOf(metadata: MetadataStore): Promise<DatabaseFacts> {
  const { liveFiles, openUploads } = await metadata.tally();
  return { id: await metadata.databaseId(), knowsFiles: liveFiles + openUploads > 0 };
}

/**
 * Changes nothing. The database is undefined if it is not created yet. `areSeparate` means that either could have been
 * replaced without the other: then a store without an owner must hold the files that the database knows.
 */
export async function findOwnership(
  database: DatabaseFacts | undefined,
  objects: Pick<ObjectStore, 'readOwner' | 'listKeys'>,
  areSeparate: boolean,
): Promise<Ownership> {
  const owner = await objects.readOwner();
  if (owner !== undefined) return owner === database?.id ? 'ours' : 'of-another-database';
  if (!areSeparate) return 'free';
  const knowsFiles = database?.knowsFiles ?? false;
  const hasFiles = (await objects.listKeys('', 1)).length > 0;
  if (knowsFiles && !hasFiles) return 'has-none-of-our-files';
  return hasFiles && !knowsFiles ? 'has-unknown-files' : 'free';
}

/** Throws if the owner is missing: a disk that was unmounted, or a bucket that was created again, appears empty. */
export async function assertStillOurs({ metadata, objects }: Stores): Promise<void> {
  if ((await objects.readOwner()) !== (await metadata.databaseId()))
    throw new Error('the storage no longer belongs to this database: is its disk mounted?');
}
