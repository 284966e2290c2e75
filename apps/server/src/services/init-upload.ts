// Opens an upload: checks what is asked for, plans the parts, and reserves the names.
import { type Answer, type Body, Failure, FALLBACK_RETENTION_DAYS, MAX_TOTAL_BYTES, planParts } from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Context } from './context.ts';

export async function initUpload(context: Context, asked: Body<'initUpload'>): Promise<Answer<'initUpload'>> {
  if (asked.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (asked.fileSize > MAX_TOTAL_BYTES) throw new Failure('FILE_TOO_LARGE');
  if (!asked.isEncrypted && !context.allowUnencrypted) throw new Failure('ENCRYPTION_REQUIRED');
  const { chunkSize, count } = planParts(asked.fileSize);
  const fileKey = context.newId();
  const uploadId = await context.objects.createUpload(fileKey);
  await context.metadata.insertUpload({
    id: context.newId(),
    fileKey,
    uploadId,
    fileName: asked.fileName,
    fileSize: asked.fileSize,
    contentType: asked.contentType,
    chunkSize,
    isEncrypted: asked.isEncrypted,
    maxDownloads: asked.downloadLimit,
    retentionDays: asked.retentionPeriod ?? FALLBACK_RETENTION_DAYS,
    expiresAtMs: context.clock.nowMs() + ABANDONED_AFTER_MS,
  });
  return { uploadId, fileKey, chunkSize, totalParts: count };
}
