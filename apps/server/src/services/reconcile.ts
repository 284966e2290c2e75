// Repairs the damage of a crash or a lost disk, one batch of keys per call: objects without a row, and live rows without an
// object.
import { asFailure } from '@furoshiki/api';
import { forEachInLanes } from '../lanes.ts';
import type { Stores } from './context.ts';
import { assertStillOurs } from './store-ownership.ts';
import { removeBytes } from './deletion.ts';

/** The last keys that were checked. Empty at the start of a pass over all keys. */
export interface Cursors {
  object: string;
  row: string;
}

export interface Findings {
  cursors: Cursors;
  /** How many objects without a row were removed. */
  orphans: number;
  /** How many files without an object were removed. */
  lost: number;
  /** Errors of single objects and files. The call continues after them; the next pass retries them. */
  failures: unknown[];
}

/** An upload creates its object first and its row second: an object younger than this may still get its row. */
const SETTLED_MS = 3_600_000;

export async function reconcile(context: Stores, cursors: Cursors, limit: number): Promise<Findings> {
  const { metadata, objects, clock } = context;
  const failures: unknown[] = [];
  /** A damaged object must not block all objects after it. If a store is down, the call fails. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await Promise.all([objects.ping(), metadata.ping()]);
      failures.push(error);
    }
  }

  const objectBatch = await objects.listKeys(cursors.object, limit);
  const settled = objectBatch.filter(({ createdAtMs }) => createdAtMs <= clock.nowMs() - SETTLED_MS);
  const unknown = await metadata.unknownKeys(settled.map(({ key }) => key));
  if (unknown.length > 0) await assertStillOurs(context);
  const isKept = unknown.length > 0 && clock.nowMs() < (await metadata.keepsUnknownUntilMs());
  let orphans = 0;
  await attempt(async () => {
    if (isKept || unknown.length === 0) return;
    const kept = await objects.purgeAll(unknown);
    orphans = unknown.length - kept.length;
    for (const { error } of kept) failures.push(error);
  });

  const rowBatch = await metadata.listLiveKeys(cursors.row, limit);
  const missing: string[] = [];
  await forEachInLanes(rowBatch, ({ id, fileKey }) =>
    attempt(async () => {
      if (!(await hasObject(context, fileKey))) missing.push(id);
    }),
  );
  // Checked after the last read, so that a disk that was unmounted in between is noticed.
  if (missing.length > 0) await assertStillOurs(context);
  let lost = 0;
  await forEachInLanes(missing, async (id) => {
    const doomed = await metadata.doomFile(id, clock.nowMs());
    if (!doomed) return;
    lost += 1;
    await attempt(() => removeBytes(context, doomed));
  });
  return {
    cursors: {
      object: nextCursor(
        objectBatch.map(({ key }) => key),
        limit,
      ),
      row: nextCursor(
        rowBatch.map(({ fileKey }) => fileKey),
        limit,
      ),
    },
    orphans,
    lost,
    failures,
  };
}

/** Throws if the store fails: then the object may still exist. */
async function hasObject({ objects }: Stores, key: string): Promise<boolean> {
  try {
    await objects.sizeOf(key);
    return true;
  } catch (error) {
    if (asFailure(error).code === 'NOT_FOUND') return false;
    throw error;
  }
}

function nextCursor(keys: string[], limit: number): string {
  return keys.length < limit ? '' : (keys.at(-1) ?? '');
}
