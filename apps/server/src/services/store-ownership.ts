// Whether database and object store belong together: the sweeper removes objects that the database does not know. The start and
// the doctor decide alike; only the start claims the store.
import { randomBytes } from 'node:crypto';
import { asFailure } from '@furoshiki/api';
import { type Config, StartError } from '../config/config.ts';
import { dataPaths } from '../config/data-folder.ts';
import { adviceFor, reasonOf } from '../diagnosis.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import { DAY_MS, type Stores } from './context.ts';

const PROBLEMS: Record<Mismatch, string> = {
  'of-another-database': 'belongs to another database',
  'of-a-newer-state': 'was last used by a newer state of this database, or by a copy of it',
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
  { objects, storeName }: { objects: MarkedStore; storeName: string },
): Promise<'ours' | 'free'> {
  const ownership = await orUnusable(config, storeName, () => findOwnership(database, objects, areSeparate(config)));
  if (ownership === 'ours' || ownership === 'free') return ownership;
  throw new StartError(`${storeName} ${PROBLEMS[ownership]}`, { advice: ADVICE });
}

const ADVICE = 'if this is the database to go on with, run `admin claim`; see docs/OPERATING.md first';

/** With a database or bucket elsewhere, one of them can be replaced without the other. */
export const areSeparate = ({ DATABASE_URL, S3_BUCKET }: Pick<Config, 'DATABASE_URL' | 'S3_BUCKET'>): boolean =>
  DATABASE_URL !== undefined || S3_BUCKET !== undefined;

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

type MarkedStore = Pick<ObjectStore, 'readOwner' | 'readEpoch' | 'listKeys'>;
type Mismatch = 'of-another-database' | 'of-a-newer-state' | 'has-unknown-files' | 'has-none-of-our-files';
/** A free store has no owner, and the database may claim it. */
type Ownership = 'ours' | 'free' | Mismatch;

/** What the decision needs to know of a database. */
interface DatabaseFacts {
  id: string;
  knowsFiles: boolean;
  knowsEpoch(epoch: string): Promise<boolean>;
}

export async function factsOf(metadata: MetadataStore): Promise<DatabaseFacts> {
  const { liveFiles, openUploads } = await metadata.tally();
  return {
    id: await metadata.databaseId(),
    knowsFiles: liveFiles + openUploads > 0,
    knowsEpoch: (epoch) => metadata.knowsEpoch(epoch),
  };
}

/**
 * Changes nothing. The database is undefined if it is not created yet. `hasEpochs` means that database and store are separate, so
 * that either could have been replaced without the other: then a store without an owner must hold the files that the database
 * knows, and the last epoch must be one of the database.
 */
export async function findOwnership(
  database: DatabaseFacts | undefined,
  objects: MarkedStore,
  hasEpochs: boolean,
): Promise<Ownership> {
  const owner = await objects.readOwner();
  if (owner !== undefined && owner !== database?.id) return 'of-another-database';
  const epoch = hasEpochs ? await objects.readEpoch() : undefined;
  if (epoch !== undefined && !(await database?.knowsEpoch(epoch))) return 'of-a-newer-state';
  if (owner !== undefined) return 'ours';
  if (!hasEpochs) return 'free';
  const knowsFiles = database?.knowsFiles ?? false;
  const hasFiles = (await objects.listKeys('', 1)).length > 0;
  if (knowsFiles && !hasFiles) return 'has-none-of-our-files';
  return hasFiles && !knowsFiles ? 'has-unknown-files' : 'free';
}

/** Throws if the owner is missing: a disk that was unmounted, or a bucket that was created again, appears empty. */
export async function assertStillOurs({ metadata, objects }: Stores): Promise<void> {
  if ((await objects.readOwner()) !== (await metadata.databaseId()))
    throw new Error(
      'the storage no longer belongs to this database: was it claimed for another, or is its disk mounted?',
    );
}

/** Longer than a server may need to write the epoch that it has begun. */
const EPOCH_KEPT_MS = 3_600_000;

/**
 * Begins an epoch and leaves it in the store. A database that was restored or copied before does not know it. Throws if the store
 * belongs to another database by now, or if another copy of this one has begun an epoch.
 */
export async function renewEpoch(stores: Stores): Promise<void> {
  const { metadata, objects, clock } = stores;
  await assertStillOurs(stores);
  const current = await objects.readEpoch();
  if (current !== undefined && !(await metadata.knowsEpoch(current)))
    throw new Error(`the storage ${PROBLEMS['of-a-newer-state']}: see docs/OPERATING.md`);
  const [epoch, nowMs] = [newMark(), clock.nowMs()];
  // The database first: if this server ends in between, the store has an epoch that the database knows.
  await metadata.beginEpoch(epoch, nowMs, current, nowMs - EPOCH_KEPT_MS);
  await objects.writeEpoch(epoch).catch((error: unknown) => {
    // A full store keeps its last epoch, and must be reconciled all the more.
    if (asFailure(error).code !== 'QUOTA_EXCEEDED') throw error;
  });
}

/** No upload and file together live longer, whatever the database. */
const UNKNOWN_KEPT_MS = 7 * DAY_MS;

/** Makes this database the owner of a store that another one, or another copy of it, has used. Removes nothing. */
export async function takeOver({ metadata, objects, clock }: Stores): Promise<{ keepUnknownUntilMs: number }> {
  const [databaseId, epoch, nowMs] = [newMark(), newMark(), clock.nowMs()];
  const keepUnknownUntilMs = nowMs + UNKNOWN_KEPT_MS;
  await metadata.claim({ databaseId, epoch, nowMs, keepUnknownUntilMs });
  await objects.writeEpoch(epoch);
  await objects.writeOwner(databaseId);
  return { keepUnknownUntilMs };
}

const newMark = () => randomBytes(16).toString('base64url');
