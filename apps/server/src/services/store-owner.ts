// Checks that database and object store belong together: the sweeper removes objects that the database does not know.
import type { Stores } from './context.ts';

export type Claim = 'ours' | 'of-another-database' | 'has-unknown-files' | 'has-none-of-our-files';

/**
 * Claims a store that has no owner yet. Servers that start at the same time all write the same owner. `areSeparate`
 * means that either could have been replaced without the other: then a store without an owner must hold the files that
 * the database knows.
 */
export async function claimStore({ metadata, objects }: Omit<Stores, 'clock'>, areSeparate: boolean): Promise<Claim> {
  const databaseId = await metadata.databaseId();
  const owner = await objects.readOwner();
  if (owner === databaseId) return 'ours';
  if (owner !== undefined) return 'of-another-database';
  if (areSeparate) {
    const { liveFiles, openUploads } = await metadata.tally();
    const knowsFiles = liveFiles + openUploads > 0;
    const hasFiles = (await objects.listKeys('', 1)).length > 0;
    if (knowsFiles && !hasFiles) return 'has-none-of-our-files';
    if (hasFiles && !knowsFiles) return 'has-unknown-files';
  }
  await objects.writeOwner(databaseId);
  return 'ours';
}

/** Throws if the owner is missing: a disk that was unmounted, or a bucket that was created again, appears empty. */
export async function assertStillOurs({ metadata, objects }: Stores): Promise<void> {
  if ((await objects.readOwner()) !== (await metadata.databaseId()))
    throw new Error('the storage no longer belongs to this database: is its disk mounted?');
}
