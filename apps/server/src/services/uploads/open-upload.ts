// Finds an upload that still takes parts.
import { Failure, planOfChunks, type PartPlan } from '@furoshiki/core';
import type { Upload } from '../../ports/metadata-store.ts';
import type { Context } from '../context.ts';

export interface UploadRef {
  fileKey: string;
  uploadId: string;
}

export async function findUpload(context: Context, { fileKey, uploadId }: UploadRef): Promise<Upload> {
  const upload = await context.metadata.findUpload(fileKey, uploadId, context.clock.nowMs());
  if (!upload) throw new Failure('NOT_FOUND');
  return upload;
}

/** The upload and its plan, for a part that belongs to it. */
export async function findOpenUpload(
  context: Context,
  name: UploadRef,
  partNumber: number,
): Promise<{ upload: Upload; plan: PartPlan }> {
  const upload = await findUpload(context, name);
  if (upload.pageId !== undefined) throw new Failure('UPLOAD_CLOSED');
  const plan = planOfChunks(upload.fileSize, upload.chunkSize);
  if (partNumber > plan.count) throw new Failure('VALIDATION_FAILED');
  return { upload, plan };
}
