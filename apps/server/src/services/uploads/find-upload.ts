// Finds an upload by its upload id and file key.
import { Failure, type UploadRef } from '@furoshiki/api';
import { type PartPlan, planOfChunks } from '@furoshiki/format';
import type { Upload } from '../../ports/metadata-store.ts';
import type { Context } from '../context.ts';

export async function findUpload(context: Context, { fileKey, uploadId }: UploadRef): Promise<Upload> {
  const upload = await context.metadata.findUpload(fileKey, uploadId, context.clock.nowMs());
  if (!upload) throw new Failure('NOT_FOUND');
  return upload;
}

/** Finds an upload that still accepts parts. Throws if this part number is not in its plan. */
export async function findOpenUpload(
  context: Context,
  ids: UploadRef,
  partNumber: number,
): Promise<{ upload: Upload; plan: PartPlan }> {
  const upload = await findUpload(context, ids);
  if (upload.pageId !== undefined) throw new Failure('UPLOAD_CLOSED');
  const plan = planOfChunks(upload.fileSize, upload.chunkSize);
  if (partNumber > plan.count) throw new Failure('VALIDATION_FAILED', { field: 'body.partNumber' });
  return { upload, plan };
}
