// Opens an upload: checks the request and the limits, plans the parts, and reserves space.
import { type ApiBody, type ApiResponse, Failure, FALLBACK_RETENTION_DAYS, MAX_TOTAL_BYTES } from '@furoshiki/api';
import { isHidden, paddedSize, planParts, storedSize } from '@furoshiki/format';
import type { Reservation, ReservationLimits } from '../../ports/metadata-store.ts';
import {
  type Caller,
  type Context,
  MAX_OPEN_UPLOADS_OF_ADDRESS,
  RESERVED_FOR_MS,
  SHARE_OF_ADDRESS,
  SHARE_OF_REST,
} from '../context.ts';
import { signPartUrl } from './sign-part.ts';
import { nextUtcMidnightMs, utcDay } from '../utc-day.ts';
import { type UploadCredentials, uploadRefusal } from './upload-permission.ts';

export async function initUpload(
  context: Context,
  body: ApiBody<'initUpload'>,
  credentials: UploadCredentials,
  caller: Caller,
): Promise<ApiResponse<'initUpload'>> {
  const { limits, metadata, objects, clock } = context;
  const refusal = uploadRefusal(context, credentials);
  if (refusal) throw new Failure(refusal);
  if (body.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (body.fileSize > MAX_TOTAL_BYTES) throw new Failure('FILE_TOO_LARGE');
  if (limits.hidesNames && !hidesAll(body)) throw new Failure('NAMES_NOT_HIDDEN');
  if (!body.isEncrypted && !limits.allowUnencrypted) throw new Failure('ENCRYPTION_REQUIRED');
  const plan = planParts(body.fileSize);
  const bytes = storedSize(plan, body.isEncrypted);
  const fileKey = context.newId();
  const uploadId = await objects.createUpload(fileKey);
  const nowMs = clock.nowMs();
  const day = utcDay(nowMs);
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
    openedAtMs: nowMs,
    expiresAtMs: nowMs + RESERVED_FOR_MS,
    addressHash: context.hashAddress(caller.address, day),
    day,
  };
  const reservation = await metadata.insertUpload(upload, await reservationLimits(context));
  if (reservation !== 'reserved') {
    await objects.abortUpload({ key: fileKey, uploadId });
    throw failureFor(reservation, nowMs);
  }
  const presignedUrl = await signPartUrl(context, { upload, plan, partNumber: 1 }, caller);
  return { uploadId, fileKey, chunkSize: plan.chunkSize, totalParts: plan.count, presignedUrl };
}

/** Whether the server learns neither the name, nor the type, nor the exact size. */
function hidesAll({ isEncrypted, fileName, contentType, fileSize }: ApiBody<'initUpload'>): boolean {
  return (
    isEncrypted &&
    isHidden({ format: 2, fileName }) &&
    contentType === 'application/octet-stream' &&
    fileSize === paddedSize(fileSize)
  );
}

/** Bytes that open uploads have announced count as used, so that no upload finds the disk full half-way. */
async function reservationLimits({ objects, limits }: Context): Promise<ReservationLimits> {
  const freeBytes = await objects.freeBytes();
  return {
    storedBytes: limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER,
    unsentBytes: freeBytes === undefined ? Number.MAX_SAFE_INTEGER : freeBytes - limits.minFreeDiskBytes,
    unsentBytesOfAddress: limits.maxUnsentBytes,
    openUploadsOfAddress: MAX_OPEN_UPLOADS_OF_ADDRESS,
    shareOfRest: SHARE_OF_REST,
    shareOfAddress: SHARE_OF_ADDRESS,
    dailyBytesOfAddress: limits.maxDailyUploadBytes,
  };
}

function failureFor(reservation: Exclude<Reservation, 'reserved'>, nowMs: number): Failure {
  if (reservation === 'storage-full') return new Failure('QUOTA_EXCEEDED');
  const waitMs = reservation === 'too-much-unsent' ? RESERVED_FOR_MS : nextUtcMidnightMs(nowMs) - nowMs;
  return new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
