// Opens an upload: checks what is asked for and whether there is room, plans the parts, and reserves bytes and names.
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type ApiResponse,
  type ApiBody,
  Failure,
  FALLBACK_RETENTION_DAYS,
  MAX_TOTAL_BYTES,
  planParts,
  storedSize,
} from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Caller, type Context } from '../context.ts';

export async function initUpload(
  context: Context,
  asked: ApiBody<'initUpload'>,
  uploadToken: string | undefined,
  caller: Caller,
): Promise<ApiResponse<'initUpload'>> {
  const { limits, metadata, objects, clock } = context;
  if (limits.uploadToken !== undefined && !sameText(uploadToken ?? '', limits.uploadToken))
    throw new Failure('FORBIDDEN');
  if (asked.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (asked.fileSize > MAX_TOTAL_BYTES) throw new Failure('FILE_TOO_LARGE');
  if (!asked.isEncrypted && !limits.allowUnencrypted) throw new Failure('ENCRYPTION_REQUIRED');
  const plan = planParts(asked.fileSize);
  const bytes = storedSize(plan, asked.isEncrypted);
  await assertDiskRoom(context, bytes);
  await spendDailyVolume(context, caller.address, bytes);

  const fileKey = context.newId();
  const uploadId = await objects.createUpload(fileKey);
  const upload = {
    id: context.newId(),
    fileKey,
    uploadId,
    fileName: asked.fileName,
    fileSize: asked.fileSize,
    storedSize: bytes,
    contentType: asked.contentType,
    chunkSize: plan.chunkSize,
    isEncrypted: asked.isEncrypted,
    maxDownloads: asked.downloadLimit,
    retentionDays: asked.retentionPeriod ?? FALLBACK_RETENTION_DAYS,
    expiresAtMs: clock.nowMs() + ABANDONED_AFTER_MS,
  };
  if (!(await metadata.insertUpload(upload, limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER))) {
    await objects.abortUpload({ key: fileKey, uploadId });
    throw new Failure('QUOTA_EXCEEDED');
  }
  return { uploadId, fileKey, chunkSize: plan.chunkSize, totalParts: plan.count };
}

/** What other uploads have announced counts as taken, so that none of them finds the disk full half-way. */
async function assertDiskRoom({ objects, metadata, limits }: Context, bytes: number): Promise<void> {
  const free = await objects.freeBytes();
  if (free === undefined) return;
  if (free - (await metadata.uploadingBytes()) - bytes < limits.minFreeDiskBytes) throw new Failure('QUOTA_EXCEEDED');
}

async function spendDailyVolume(context: Context, address: string, bytes: number): Promise<void> {
  const { maxDailyUploadBytes } = context.limits;
  if (maxDailyUploadBytes === undefined) return;
  const now = new Date(context.clock.nowMs());
  const day = now.toISOString().slice(0, 10);
  const hash = context.hashAddress(address, day);
  if (await context.metadata.spendVolume(hash, day, bytes, maxDailyUploadBytes)) return;
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  throw new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil((midnight - now.getTime()) / 1000) });
}

function sameText(given: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(right));
}
