// Everything that ends a file. Row first, so that it is gone for every call at once; then the bytes; then the row's last trace.
import { Failure } from '@furoshiki/core';
import type { DoomedFile } from '../../ports/metadata-store.ts';
import type { Caller, Context, Stores } from '../context.ts';
import type { UploadRef } from '../uploads/open-upload.ts';

export async function confirmDownload(context: Context, id: string, { clientHash }: Caller): Promise<void> {
  const asker = { clientHash, nowMs: context.clock.nowMs() };
  if (!(await context.metadata.findFile(id, asker))) throw new Failure('NOT_FOUND');
  await context.metadata.endGrant(id, asker);
  const doomed = await context.metadata.doomIfUsedUp(id, asker.nowMs);
  if (doomed) await removeBytes(context, doomed);
}

export async function deleteFile(context: Context, id: string): Promise<void> {
  const doomed = await context.metadata.doomFile(id, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}

export async function cancelUpload(context: Context, { fileKey, uploadId }: UploadRef): Promise<void> {
  const doomed = await context.metadata.doomUpload(fileKey, uploadId, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}

export interface TakenDown {
  kind: 'page' | 'file';
  files: { id: string; fileSize: number }[];
}

/** Deletes all files of a page, or the one file that has this id. */
export async function takeDown(context: Stores, id: string): Promise<TakenDown> {
  const asker = { clientHash: '', nowMs: context.clock.nowMs() };
  const page = await context.metadata.listPage(id, asker);
  const file = await context.metadata.findFile(id, asker);
  const doomed = [];
  const files = [];
  // All of them first, so that the page is gone for everybody before the first byte is removed.
  for (const { id: fileId, fileSize } of file ? [file] : page) {
    const gone = await context.metadata.doomFile(fileId, asker.nowMs);
    // Somebody else was faster with this one.
    if (!gone) continue;
    doomed.push(gone);
    files.push({ id: fileId, fileSize });
  }
  if (files.length === 0) throw new Failure('NOT_FOUND');
  for (const gone of doomed) await removeBytes(context, gone);
  return { kind: file ? 'file' : 'page', files };
}

/** Longer than a round takes. What a server leaves half-done because it died or its store failed is taken up after it. */
const LEASE_MS = 60_000;

/** Some files of a round could not be removed. They stay doomed, and whoever sweeps after their lease tries again. */
export class SweepError extends Error {
  /** How many files the round took up, those that it removed included. */
  readonly takenUp: number;
  readonly removed: number;

  constructor(takenUp: number, failures: unknown[]) {
    super(`${failures.length} of ${takenUp} files could not be removed`, { cause: failures[0] });
    this.takenUp = takenUp;
    this.removed = takenUp - failures.length;
  }
}

/** One round of clearing away. Answers how many files it removed: no more than `limit`. */
export async function sweep(context: Stores, limit: number): Promise<number> {
  const nowMs = context.clock.nowMs();
  await context.metadata.forgetVolumes(new Date(nowMs).toISOString().slice(0, 10), limit);
  await context.metadata.doomOverdue(nowMs, limit);
  await context.metadata.forgetGrants(nowMs, limit);
  // All of them: they come with whoever asks, faster than a bounded number for each round could follow.
  while ((await context.metadata.forgetHits(nowMs, limit)) >= limit);
  const doomed = await context.metadata.claimDoomed(nowMs, LEASE_MS, limit);
  const failures: unknown[] = [];
  for (const file of doomed) {
    try {
      await removeBytes(context, file);
    } catch (error) {
      // One file that cannot be removed holds up no other. Where a store is down, each of them would fail after a long wait.
      await Promise.all([context.objects.ping(), context.metadata.ping()]);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new SweepError(doomed.length, failures);
  return doomed.length;
}

export async function removeBytes(context: Stores, { id, fileKey, uploadId }: DoomedFile): Promise<void> {
  // Both, because nobody asks how far the upload had come: a store may keep parts and objects apart.
  await context.objects.abortUpload({ key: fileKey, uploadId });
  await context.objects.delete(fileKey);
  await context.metadata.forget(id);
}
