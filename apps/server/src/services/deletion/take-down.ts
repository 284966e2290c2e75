// Deletes all files of a page, or one file, for the operator.
import { Failure } from '@furoshiki/api';
import type { Stores } from '../context.ts';
import { removeBytes } from './remove-bytes.ts';

export interface TakenDown {
  kind: 'page' | 'file';
  files: { id: string; fileSize: number }[];
}

/** `id` is the id of a page or of a file. */
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
