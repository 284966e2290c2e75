// Refuses a store that does not belong to the database. The start and the doctor decide alike; only the start claims the store.
import { type Config, StartError } from './config/config.ts';
import { dataPaths } from './config/data-folder.ts';
import { adviceFor } from './diagnosis/error-advice.ts';
import { reasonOf } from './diagnosis/error-reason.ts';
import type { ObjectStore } from './ports/object-store.ts';
import { type DatabaseFacts, findOwnership, type Mismatch } from './services/store-owner.ts';

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
