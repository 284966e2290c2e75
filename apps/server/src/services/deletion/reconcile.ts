// Finds what a crash or a lost disk has left: bytes that no row knows, and live rows without bytes. A page at a time, round and round.
import { asFailure } from '@furoshiki/core';
import { assertStillOurs } from '../claim-store.ts';
import type { Stores } from '../context.ts';
import { removeBytes } from './remove-files.ts';

/** How far the round has come. Empty: at the start. */
export interface Cursors {
  object: string;
  row: string;
}

export interface Findings {
  cursors: Cursors;
  /** Bytes without a row that were removed. */
  orphans: number;
  /** Files without bytes that were removed: whoever asks is told that they are gone. */
  lost: number;
  /** Why some could not be looked at or removed. The round goes on past them, and meets them again. */
  failures: unknown[];
}

/** An upload makes its bytes' place first and its row second: what is younger than this may still get its row. */
const SETTLED_MS = 3_600_000;

export async function reconcile(context: Stores, cursors: Cursors, limit: number): Promise<Findings> {
  const { metadata, objects, clock } = context;
  const failures: unknown[] = [];
  /** One object that is damaged must not keep all after it from ever being reached. A store that is down ends the step. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await Promise.all([objects.ping(), metadata.ping()]);
      failures.push(error);
    }
  }

  const objectPage = await objects.listKeys(cursors.object, limit);
  const settled = objectPage.filter(({ createdAtMs }) => createdAtMs <= clock.nowMs() - SETTLED_MS);
  const unknown = await metadata.unknownKeys(settled.map(({ key }) => key));
  if (unknown.length > 0) await assertStillOurs(context);
  let orphans = 0;
  for (const key of unknown)
    await attempt(async () => {
      await objects.purge(key);
      orphans += 1;
    });

  const rowPage = await metadata.listLiveKeys(cursors.row, limit);
  const missing: string[] = [];
  for (const { id, fileKey } of rowPage)
    await attempt(async () => {
      if (!(await hasObject(context, fileKey))) missing.push(id);
    });
  // After the last look: a disk that went away between two of them is told too.
  if (missing.length > 0) await assertStillOurs(context);
  let lost = 0;
  for (const id of missing) {
    const doomed = await metadata.doomFile(id, clock.nowMs());
    if (!doomed) continue;
    lost += 1;
    await attempt(() => removeBytes(context, doomed));
  }
  return {
    cursors: {
      object: nextCursor(
        objectPage.map(({ key }) => key),
        limit,
      ),
      row: nextCursor(
        rowPage.map(({ fileKey }) => fileKey),
        limit,
      ),
    },
    orphans,
    lost,
    failures,
  };
}

/** Only a store that answers and does not have it counts: one that fails may have it after all. */
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
