// Called after each part: checks that the part is stored, and keeps the upload from being swept as abandoned.
import { type ApiBody, Failure } from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Context, MAX_UPLOAD_AGE_MS } from '../context.ts';
import { findOpenUpload } from './find-upload.ts';

export async function completePart(context: Context, body: ApiBody<'completePart'>): Promise<void> {
  const { upload } = await findOpenUpload(context, body, body.partNumber);
  const parts = await context.objects.listParts({ key: upload.fileKey, uploadId: upload.uploadId });
  const isStored = parts.some(({ partNumber, etag }) => partNumber === body.partNumber && etag === body.etag);
  if (!isStored) throw new Failure('PART_MISMATCH');
  const sentBytes = parts.reduce((sum, { length }) => sum + length, 0);
  const expiresAtMs = Math.min(context.clock.nowMs() + ABANDONED_AFTER_MS, upload.openedAtMs + MAX_UPLOAD_AGE_MS);
  await context.metadata.recordSentBytes(upload.fileKey, sentBytes, expiresAtMs);
}
