// Makes sure that database and object store belong together: the sweeper removes bytes that the database does not know.
import type { Stores } from './context.ts';

export type Claim = 'ours' | 'of-another-database' | 'has-unknown-files' | 'has-none-of-our-files';

/**
 * Marks a store that never was. Servers that start at once all write the same. `areApart` where either could have been
 * exchanged without the other: then a store without a mark must fit what the database knows.
 */
export async function claimStore({ metadata, objects }: Omit<Stores, 'clock'>, areApart: boolean): Promise<Claim> {
  const mine = await metadata.instanceId();
  const mark = await objects.readMark();
  if (mark === mine) return 'ours';
  if (mark !== undefined) return 'of-another-database';
  if (areApart) {
    const { liveFiles, uploadsUnderWay } = await metadata.tally();
    const knowsFiles = liveFiles + uploadsUnderWay > 0;
    const hasFiles = (await objects.listKeys('', 1)).length > 0;
    if (knowsFiles && !hasFiles) return 'has-none-of-our-files';
    if (hasFiles && !knowsFiles) return 'has-unknown-files';
  }
  await objects.writeMark(mine);
  return 'ours';
}

/** A disk that is unmounted while the server runs, or a bucket that is made anew, looks empty: its mark is gone too. */
export async function assertStillOurs({ metadata, objects }: Stores): Promise<void> {
  if ((await objects.readMark()) !== (await metadata.instanceId()))
    throw new Error('the storage no longer has the mark of this database: is its disk mounted?');
}
