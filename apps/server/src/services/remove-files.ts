// Everything that ends a file. Row first, so that it is gone for every call at once; then the bytes; then the row's last trace.
import { Failure } from '@furoshiki/core';
import type { DoomedFile } from '../ports/metadata-store.ts';
import type { Caller, Context } from './context.ts';
import type { UploadName } from './open-upload.ts';

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

export async function cancelUpload(context: Context, { fileKey, uploadId }: UploadName): Promise<void> {
  const doomed = await context.metadata.doomUpload(fileKey, uploadId);
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}

/** One bounded round of clearing away. Answers how many files it removed. */
export async function sweep(context: Context, limit: number): Promise<number> {
  const nowMs = context.clock.nowMs();
  await context.metadata.forgetVolumes(new Date(nowMs).toISOString().slice(0, 10), limit);
  await context.metadata.doomOverdue(nowMs, limit);
  await context.metadata.forgetGrants(nowMs, limit);
  const doomed = await context.metadata.listDoomed(limit);
  for (const file of doomed) await removeBytes(context, file);
  return doomed.length;
}

export async function removeBytes(context: Context, { id, fileKey, uploadId }: DoomedFile): Promise<void> {
  // Both, because nobody asks how far the upload had come: a store may keep parts and objects apart.
  await context.objects.abortUpload({ key: fileKey, uploadId });
  await context.objects.delete(fileKey);
  await context.metadata.forget(id);
}
