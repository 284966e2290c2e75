// Removes the bytes of a doomed file, then its row. The row goes last, so that a crash in between is repaired by a sweep.
import type { DoomedFile } from '../../ports/metadata-store.ts';
import type { Stores } from '../context.ts';

export async function removeBytes(context: Stores, { id, fileKey, uploadId }: DoomedFile): Promise<void> {
  // Both calls, because the row does not say whether the upload was completed, and a store may keep parts and objects apart.
  await context.objects.abortUpload({ key: fileKey, uploadId });
  await context.objects.delete(fileKey);
  await context.metadata.forget(id);
}
