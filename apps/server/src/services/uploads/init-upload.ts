// Opens an upload: checks the request and the limits, plans the parts, and reserves space.
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type ApiBody,
  type ApiResponse,
  Failure,
  FALLBACK_RETENTION_DAYS,
  MAX_TOTAL_BYTES,
  planParts,
  storedSize,
} from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Caller, type Context } from '../context.ts';
import { nextUtcMidnightMs, utcDay } from '../utc-day.ts';

export async function initUpload(
  context: Context,
  body: ApiBody<'initUpload'>,
  uploadToken: string | undefined,
  caller: Caller,
): Promise<ApiResponse<'initUpload'>> {
  const { limits, metadata, objects, clock } = context;
  if (limits.uploadToken !== undefined && !sameText(uploadToken ?? '', limits.uploadToken))
    throw new Failure('FORBIDDEN');
  if (body.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (body.fileSize > MAX_TOTAL_BYTES) throw new Failure('FILE_TOO_LARGE');
  if (!body.isEncrypted && !limits.allowUnencrypted) throw new Failure('ENCRYPTION_REQUIRED');
  const plan = planParts(body.fileSize);
  const bytes = storedSize(plan, body.isEncrypted);
  await assertFreeSpace(context, bytes);
  await spendDailyVolume(context, caller.address, bytes);

  const fileKey = context.newId();
  const uploadId = await objects.createUpload(fileKey);
  const upload = {
    id: context.newId(),
    fileKey,
    uploadId,
    fileName: body.fileName,
    fileSize: body.fileSize,
    storedSize: bytes,
    contentType: body.contentType,
    chunkSize: plan.chunkSize,
    isEncrypted: body.isEncrypted,
    maxDownloads: body.downloadLimit,
    retentionDays: body.retentionPeriod ?? FALLBACK_RETENTION_DAYS,
    expiresAtMs: clock.nowMs() + ABANDONED_AFTER_MS,
  };
  if (!(await metadata.insertUpload(upload, limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER))) {
    await objects.abortUpload({ key: fileKey, uploadId });
    throw new Failure('QUOTA_EXCEEDED');
  }
  return { uploadId, fileKey, chunkSize: plan.chunkSize, totalParts: plan.count };
}

/** Bytes that other open uploads have announced count as used, so that no upload finds the disk full half-way. */
async function assertFreeSpace({ objects, metadata, limits }: Context, bytes: number): Promise<void> {
  const free = await objects.freeBytes();
  if (free === undefined) return;
  if (free - (await metadata.uploadingBytes()) - bytes < limits.minFreeDiskBytes) throw new Failure('QUOTA_EXCEEDED');
}

async function spendDailyVolume(context: Context, address: string, bytes: number): Promise<void> {
  const { maxDailyUploadBytes } = context.limits;
  if (maxDailyUploadBytes === undefined) return;
  const nowMs = context.clock.nowMs();
  const day = utcDay(nowMs);
  const hash = context.hashAddress(address, day);
  if (await context.metadata.spendVolume(hash, day, bytes, maxDailyUploadBytes)) return;
  throw new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil((nextUtcMidnightMs(nowMs) - nowMs) / 1000) });
}

/** Compares in constant time. */
function sameText(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
