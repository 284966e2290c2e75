// Removes an upload that is not complete.
import { type ApiBody, Failure } from '@furoshiki/api';
import type { Context } from '../context.ts';
import { removeBytes } from '../deletion/remove-bytes.ts';

export async function cancelUpload(context: Context, { fileKey, uploadId }: ApiBody<'cancelUpload'>): Promise<void> {
  const doomed = await context.metadata.doomUpload(fileKey, uploadId, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}
