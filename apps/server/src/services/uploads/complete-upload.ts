// Turns the parts into a file that can be downloaded. Object first, row second. A repeated call returns the same response.
import { type ApiBody, type ApiResponse, Failure, type FileMetadata } from '@furoshiki/api';
import { type PartPlan, planOfChunks, storedRange } from '@furoshiki/format';
import type { Sealing, Upload } from '../../ports/metadata-store.ts';
import type { StoredPart } from '../../ports/object-store.ts';
import { type Caller, type Context, DAY_MS } from '../context.ts';
import { fileUrl, pageUrl } from '../links.ts';
import { findUpload } from './find-upload.ts';

type Body = ApiBody<'completeUpload'>;

export async function completeUpload(
  context: Context,
  body: Body,
  caller: Caller,
): Promise<ApiResponse<'completeUpload'>> {
  const upload = await findUpload(context, body);
  const pageId = upload.pageId ?? (await complete(context, upload, body));
  return {
    fileUrl: fileUrl(caller.siteUrl, upload.id),
    pageURL: pageUrl(caller.siteUrl, pageId),
    pageID: pageId,
    downloadId: upload.id,
  };
}

async function complete(context: Context, upload: Upload, { metadata, parts }: Body): Promise<string> {
  const { fileKey, uploadId, fileSize, chunkSize, isEncrypted, retentionDays } = upload;
  if (metadata.chunkSize !== chunkSize) throw new Failure('VALIDATION_FAILED', { field: 'body.metadata.chunkSize' });
  const sealing = sealingOf(metadata, isEncrypted);
  if (context.limits.hidesNames && sealing.format !== 2) throw new Failure('NAMES_NOT_HIDDEN');
  const plan = planOfChunks(fileSize, chunkSize);
  await context.objects.completeUpload({ key: fileKey, uploadId }, plannedParts(plan, isEncrypted, parts));
  const createdAtMs = context.clock.nowMs();
  const pageId = await context.metadata.completeUpload(fileKey, {
    ...sealing,
    pageId: context.newId(),
    createdAtMs,
    expiresAtMs: createdAtMs + retentionDays * DAY_MS,
  });
  // The upload was cancelled or swept in the meantime.
  if (pageId === undefined) throw new Failure('NOT_FOUND');
  return pageId;
}

/** Throws VALIDATION_FAILED if a field is missing that opening the file requires. Format 2 is always encrypted. */
function sealingOf(metadata: FileMetadata, isEncrypted: boolean): Sealing {
  const { salt, keyCheck } = metadata;
  const isComplete = salt !== undefined && keyCheck !== undefined;
  if (isEncrypted ? !isComplete : metadata.format === 2)
    throw new Failure('VALIDATION_FAILED', { field: 'body.metadata' });
  if (metadata.format !== 2)
    return { format: 1, salt, keyCheck, pageSalt: undefined, accessCheck: undefined, details: undefined };
  const { pageSalt, accessCheck, details } = metadata;
  return { format: 2, salt, keyCheck, pageSalt, accessCheck, details };
}

/** Checks the client's parts against the plan: each number exactly once. Returns them with the planned lengths. */
function plannedParts(plan: PartPlan, isEncrypted: boolean, parts: Body['parts']): StoredPart[] {
  const etags = new Map(parts.map((part) => [part.PartNumber, part.ETag]));
  if (parts.length !== plan.count || etags.size !== plan.count) throw new Failure('PART_MISMATCH');
  return Array.from({ length: plan.count }, (_, index) => {
    const etag = etags.get(index + 1);
    if (etag === undefined) throw new Failure('PART_MISMATCH');
    return { partNumber: index + 1, etag, length: storedRange(plan, index, isEncrypted).length };
  });
}
