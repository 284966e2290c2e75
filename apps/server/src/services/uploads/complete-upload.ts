// Turns the parts into a file that can be downloaded. Object first, row second; asking again gives the same answer.
import { type ApiResponse, type ApiBody, Failure, type PartPlan, planOfChunks, storedRange } from '@furoshiki/core';
import type { Upload } from '../../ports/metadata-store.ts';
import type { StoredPart } from '../../ports/object-store.ts';
import { type Caller, type Context, DAY_MS } from '../context.ts';
import { fileUrl, pageUrl } from '../links.ts';
import { findUpload } from './open-upload.ts';

type Asked = ApiBody<'completeUpload'>;

export async function completeUpload(
  context: Context,
  asked: Asked,
  caller: Caller,
): Promise<ApiResponse<'completeUpload'>> {
  const upload = await findUpload(context, asked);
  const pageID = upload.pageId ?? (await complete(context, upload, asked));
  return {
    fileUrl: fileUrl(caller.siteUrl, upload.id),
    pageURL: pageUrl(caller.siteUrl, pageID),
    pageID,
    downloadId: upload.id,
  };
}

async function complete(context: Context, upload: Upload, { metadata, parts }: Asked): Promise<string> {
  const { fileKey, uploadId, fileSize, chunkSize, isEncrypted, retentionDays } = upload;
  if (metadata.chunkSize !== chunkSize) throw new Failure('VALIDATION_FAILED');
  if (isEncrypted && (metadata.salt === undefined || metadata.keyCheck === undefined))
    throw new Failure('VALIDATION_FAILED');
  const plan = planOfChunks(fileSize, chunkSize);
  await context.objects.completeUpload({ key: fileKey, uploadId }, plannedParts(plan, isEncrypted, parts));
  const createdAtMs = context.clock.nowMs();
  const pageId = await context.metadata.completeUpload(fileKey, {
    pageId: context.newId(),
    salt: metadata.salt,
    keyCheck: metadata.keyCheck,
    createdAtMs,
    expiresAtMs: createdAtMs + retentionDays * DAY_MS,
  });
  // Cancelled or swept away in the meantime.
  if (pageId === undefined) throw new Failure('NOT_FOUND');
  return pageId;
}

/** The parts as the plan wants them: each number once, each with its length. */
function plannedParts(plan: PartPlan, isEncrypted: boolean, parts: Asked['parts']): StoredPart[] {
  const etags = new Map(parts.map((part) => [part.PartNumber, part.ETag]));
  if (parts.length !== plan.count || etags.size !== plan.count) throw new Failure('PART_MISMATCH');
  return Array.from({ length: plan.count }, (_, index) => {
    const etag = etags.get(index + 1);
    if (etag === undefined) throw new Failure('PART_MISMATCH');
    return { partNumber: index + 1, etag, length: storedRange(plan, index, isEncrypted).length };
  });
}
