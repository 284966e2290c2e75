// Lists the files of a page, with the sealed list of what the sender has put there.
import { type ApiResponse, Failure } from '@furoshiki/api';
import type { Caller, Context } from '../context.ts';
import { pageFile } from './page-file.ts';

export async function getPage(context: Context, pageId: string, { clientHash }: Caller): Promise<ApiResponse<'page'>> {
  const { files, list } = await context.metadata.listPage(pageId, { clientHash, nowMs: context.clock.nowMs() });
  if (files.length === 0) throw new Failure('NOT_FOUND');
  return { files: files.map(pageFile), list };
}
