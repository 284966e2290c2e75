// Puts the files of one transfer on one page and closes the page.
import {
  type ApiBody,
  type ApiResponse,
  Failure,
  MAX_DETAILS_LENGTH_PER_PAGE,
  MAX_NAMES_LENGTH_PER_PAGE,
  MAX_TOTAL_BYTES,
} from '@furoshiki/api';
import type { Caller, Context } from '../context.ts';
import { pageUrl } from '../links.ts';

const FAILURE_OF = {
  'not-found': 'NOT_FOUND',
  'too-large': 'SIZE_EXCEEDED',
  'already-grouped': 'ALREADY_GROUPED',
} as const;

const PAGE_LIMITS = {
  totalBytes: MAX_TOTAL_BYTES,
  namesLength: MAX_NAMES_LENGTH_PER_PAGE,
  detailsLength: MAX_DETAILS_LENGTH_PER_PAGE,
};

export async function groupFiles(
  context: Context,
  { fileIDs: fileIds, list }: ApiBody<'groupFiles'>,
  { siteUrl }: Caller,
): Promise<ApiResponse<'groupFiles'>> {
  if (new Set(fileIds).size !== fileIds.length) throw new Failure('VALIDATION_FAILED', { field: 'body.fileIDs' });
  const grouping = await context.metadata.groupFiles(fileIds, list, PAGE_LIMITS, context.clock.nowMs());
  if (grouping.outcome !== 'grouped') throw new Failure(FAILURE_OF[grouping.outcome]);
  return { pageID: grouping.pageId, downloadURL: pageUrl(siteUrl, grouping.pageId), fileCount: fileIds.length };
}
