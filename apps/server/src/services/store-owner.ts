// Checks that database and object store belong together: the sweeper removes objects that the database does not know.
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Stores } from './context.ts';

export type Mismatch = 'of-another-database' | 'has-unknown-files' | 'has-none-of-our-files';
/** A free store has no owner, and the database may claim it. */
export type Ownership = 'ours' | 'free' | Mismatch;

/** What the decision needs to know of a database. */
export interface DatabaseFacts {
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
