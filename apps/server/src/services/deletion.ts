// Deletes files: by their id, for the operator, and when they have run out. A file is doomed first, so that it is gone for
// every call at once; then its bytes are removed.
import { setImmediate } from 'node:timers/promises';
import { Failure } from '@furoshiki/api';
import { type Context, DAY_MS, IDLE_UPLOAD_MS, type Stores, utcDay } from './context.ts';
import { forEachInLanes } from '../lanes.ts';
import type { DoomedFile } from '../ports/metadata-store.ts';

export async function deleteFile(context: Context, id: string): Promise<void> {
  const doomed = await context.metadata.doomFile(id, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}

interface TakenDown {
  kind: 'page' | 'file';
  files: { id: string; fileSize: number }[];
}

/** Deletes all files of a page, or one file, for the operator. `id` is the id of a page or of a file. */
export async function takeDown(context: Stores, id: string): Promise<TakenDown> {
  const caller = { clientHash: '', nowMs: context.clock.nowMs() };
  const { files: page } = await context.metadata.listPage(id, caller);
  const file = await context.metadata.findFile(id, caller);
  const doomed = [];
  const files = [];
  // Doom all files first, so that the whole page is gone before the first byte is removed.
  for (const { id: fileId, fileSize } of file ? [file] : page) {
    const gone = await context.metadata.doomFile(fileId, caller.nowMs);
    // Another call has deleted this file in the meantime.
    if (!gone) continue;
    doomed.push(gone);
    files.push({ id: fileId, fileSize });
  }
  if (files.length === 0) throw new Failure('NOT_FOUND');
  for (const gone of doomed) await removeBytes(context, gone);
  return { kind: file ? 'file' : 'page', files };
}

/** Longer than a round takes. After it, any server retries the files that a crash or a failing store left behind. */
const LEASE_MS = 60_000;

/** Messages and reports that the operator has neither read nor removed. The privacy policy promises it. */
const MESSAGES_KEPT_MS = 180 * DAY_MS;

/** Some files of a round could not be removed. They stay doomed, and the first sweep after their lease retries them. */
export class SweepError extends Error {
  /** How many files the round claimed, including those that it removed. */
  readonly claimed: number;
  readonly removed: number;

  constructor(claimed: number, failures: unknown[]) {
    super(`${failures.length} of ${claimed} files could not be removed`, { cause: failures[0] });
    this.claimed = claimed;
    this.removed = claimed - failures.length;
  }
}

/**
 * One round of cleanup: forgets what has expired, and removes the bytes of doomed files. Returns how many files it
 * removed: at most `limit`.
 */
export async function sweep(context: Stores, limit: number): Promise<number> {
  const nowMs = context.clock.nowMs();
  await context.metadata.forgetVolumes(utcDay(nowMs), limit);
  // These uploads get their space again when they continue, if there is still room.
  await context.metadata.releaseReservations(nowMs - IDLE_UPLOAD_MS, limit);
  await inSteps(limit, (step) => context.metadata.doomOverdue(nowMs, step));
  await inSteps(limit, (step) => context.metadata.doomFilesOfEnded(nowMs, step));
  await context.metadata.forgetRequests(nowMs, limit);
  await context.metadata.forgetGrants(nowMs, limit);
  await context.metadata.forgetMessages(nowMs - MESSAGES_KEPT_MS, limit);
  await context.metadata.forgetReports(nowMs - MESSAGES_KEPT_MS, limit);
  // Repeats until nothing is left: every request may add a row, so a bounded number per round could fall behind.
  while ((await context.metadata.forgetHits(nowMs, limit)) >= limit);
  while ((await context.metadata.forgetResumeSecrets(nowMs, limit)) >= limit);
  const doomed: DoomedFile[] = [];
  await inSteps(limit, async (step) => {
    const claimed = await context.metadata.claimDoomed(nowMs, LEASE_MS, step);
    doomed.push(...claimed);
    return claimed.length;
  });
  const failures = await removeAll(context, doomed);
  await context.metadata.eraseTraces(nowMs);
  if (failures.length > 0) throw new SweepError(doomed.length, failures);
  return doomed.length;
}

/** How many files one statement changes. SQLite runs in this thread, and needs milliseconds for so many. */
const FILES_PER_STEP = 64;

/** To forget one takes several statements. */
const ROWS_PER_STEP = 16;

/** Repeats until nothing is left or the limit is reached. Requests are handled between two steps. */
async function inSteps(limit: number, work: (limit: number) => Promise<number>): Promise<void> {
  for (let left = limit; left > 0; left -= FILES_PER_STEP) {
    const step = Math.min(FILES_PER_STEP, left);
    const done = await work(step);
    await setImmediate();
    if (done < step) return;
  }
}

/** Removes the bytes of doomed files, then their rows. Returns the errors of single files. */
async function removeAll(context: Stores, doomed: readonly DoomedFile[]): Promise<unknown[]> {
  const { metadata, objects } = context;
  const failures: unknown[] = [];
  // A file that cannot be removed must not block the others. If a store is down, stop: each file would wait for a timeout.
  const expectUp = () => Promise.all([objects.ping(), metadata.ping()]);
  const failed = async (error: unknown) => {
    await expectUp();
    failures.push(error);
  };
  const gone = new Map<string, DoomedFile>();
  // Its bytes are in one object. If a store that failed has kept the upload beside it, the reconciler removes that.
  for (const file of doomed) if (file.pageId !== null) gone.set(file.fileKey, file);
  const uploads = doomed.filter(({ pageId }) => pageId === null);
  await forEachInLanes(uploads, async (file) => {
    try {
      await objects.abortUpload({ key: file.fileKey, uploadId: file.uploadId });
      gone.set(file.fileKey, file);
    } catch (error) {
      await failed(error);
    }
  });
  const keys = [...gone.keys()];
  const kept = await objects.deleteAll(keys).catch(async (error: unknown) => {
    await expectUp();
    return keys.map((key) => ({ key, error }));
  });
  for (const { key, error } of kept) {
    gone.delete(key);
    failures.push(error);
  }
  const rows = [...gone.values()];
  // On SQLite the writes of a step share one commit. Requests are handled between two steps.
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) {
    const step = rows.slice(start, start + ROWS_PER_STEP);
    await Promise.all(step.map(({ id }) => metadata.forget(id).catch(failed)));
    await setImmediate();
  }
  return failures;
}

/**
 * Removes the bytes of a doomed file, then its row. The row goes last, so that a crash in between is repaired by a
 * sweep.
 */
export async function removeBytes(context: Stores, { id, fileKey, uploadId }: DoomedFile): Promise<void> {
  // Both calls, because the row does not say whether the upload was completed, and a store may keep parts and objects apart.
  await Promise.all([context.objects.abortUpload({ key: fileKey, uploadId }), context.objects.delete(fileKey)]);
  await context.metadata.forget(id);
}
