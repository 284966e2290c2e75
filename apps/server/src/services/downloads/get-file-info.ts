// Describes one file.
import { Failure, type PageFile } from '@furoshiki/api';
import type { Caller, Context } from '../context.ts';
import { pageFile } from './page-file.ts';

/** Throws NOT_FOUND if the file is missing or expired, or if its limit is reached and the caller has no grant. */
export async function getFileInfo(context: Context, id: string, { clientHash }: Caller): Promise<PageFile> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file || (file.currentDownloads >= file.maxDownloads && !file.granted)) throw new Failure('NOT_FOUND');
  return pageFile(file);
}
