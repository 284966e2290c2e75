// Deletes a file. It is doomed first, so that it is gone for every call at once; then its bytes are removed.
import { Failure } from '@furoshiki/api';
import type { Context } from '../context.ts';
import { removeBytes } from './remove-bytes.ts';

export async function deleteFile(context: Context, id: string): Promise<void> {
  const doomed = await context.metadata.doomFile(id, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}
