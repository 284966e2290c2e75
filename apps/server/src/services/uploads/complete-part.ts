// Called after each part: checks that the part is stored, and keeps the upload from being swept as abandoned.
import { type ApiBody, Failure } from '@furoshiki/api';
import { ABANDONED_AFTER_MS, type Context, MAX_UPLOAD_AGE_MS } from '../context.ts';
import { findOpenUpload } from './find-upload.ts';

/** Listing all parts after each one would take longer with every part. */
const COUNTED_EVERY = 16;

export async function completePart(context: Context, body: ApiBody<'completePart'>): Promise<void> {
  const { upload } = await findOpenUpload(context, body, body.partNumber);
  const stored = { key: upload.fileKey, uploadId: upload.uploadId };
  const keptMs = upload.expiresAtMs - context.clock.nowMs();
  if (body.partNumber % COUNTED_EVERY !== 1 && keptMs > ABANDONED_AFTER_MS / 2) {
    if (!(await context.objects.hasPart(stored, body))) throw new Failure('PART_MISMATCH');
    return;
  }
  const parts = await context.objects.listParts(stored);
  const isStored = parts.some(({ partNumber, etag }) => partNumber === body.partNumber && etag === body.etag);
  if (!isStored) throw new Failure('PART_MISMATCH');
  const sentBytes = parts.reduce((sum, { length }) => sum + length, 0);
  const expiresAtMs = Math.min(context.clock.nowMs() + ABANDONED_AFTER_MS, upload.openedAtMs + MAX_UPLOAD_AGE_MS);
  await context.metadata.recordSentBytes(upload.fileKey, sentBytes, expiresAtMs);
}
