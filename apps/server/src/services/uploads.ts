// An upload from its opening to its page: open, sign and confirm parts, complete, group, resume. Each call finds its upload
// again, so any server can handle it.
import { hash, randomBytes } from 'node:crypto';
import {
  type ApiBody,
  type ApiResponse,
  endpointPath,
  Failure,
  FALLBACK_RETENTION_DAYS,
  type FileMetadata,
  MAX_DETAILS_LENGTH,
  MAX_DETAILS_LENGTH_PER_PAGE,
  MAX_NAMES_LENGTH_PER_PAGE,
  MAX_TOTAL_BYTES,
  type UploadRef,
} from '@furoshiki/api';
import {
  isHidden,
  KEY_BYTES,
  paddedSize,
  type PartPlan,
  planOfChunks,
  planParts,
  storedRange,
  storedSize,
} from '@furoshiki/format';
import type { Sealing, Upload } from '../ports/metadata-store.ts';
import type { StoredPart } from '../ports/object-store.ts';
import { type Caller, type Context, DAY_MS, IDLE_UPLOAD_MS, SIGNED_URL_MS, utcDay } from './context.ts';
import { removeBytes } from './deletion.ts';
import { type ForRequest, newDelivery, openRequestFor } from './requests.ts';
import {
  countedAs,
  failureFor,
  recordLimit,
  type Refused,
  RESERVED_FOR_MS,
  reservationLimits,
} from './reservations.ts';
import { type UploadCredentials, uploadRefusal } from './upload-permission.ts';

/** How long an upload is kept after its last new part. */
const ABANDONED_AFTER_MS = DAY_MS;
/**
 * What the database takes for a file besides name and details: its row and its index entries. With details of a bad length a page
 * of 4 KB has room for one row, and nearly half of it stays empty.
 */
const ROW_BYTES = 2304;
/** The maximum age of an upload, even if new parts still arrive: 10 GB take a day at 1 Mbit/s. */
const MAX_UPLOAD_AGE_MS = 3 * DAY_MS;

/** Opens an upload: checks the request and the limits, plans the parts, and reserves space. */
export async function initUpload(
  context: Context,
  body: ApiBody<'initUpload'>,
  credentials: UploadCredentials & ForRequest,
  caller: Caller,
): Promise<ApiResponse<'initUpload'>> {
  const { limits, metadata, objects, clock } = context;
  // Someone who may ask for files has permitted this upload.
  const request = await openRequestFor(context, credentials);
  const refusal = request ? undefined : uploadRefusal(context, credentials);
  if (refusal) throw new Failure(refusal);
  if (body.fileSize === 0) throw new Failure('FILE_EMPTY');
  if (body.fileSize > MAX_TOTAL_BYTES) throw new Failure('FILE_TOO_LARGE');
  if ((limits.hidesNames || request) && !hidesAll(body)) throw new Failure('NAMES_NOT_HIDDEN');
  if (!body.isEncrypted && !limits.allowUnencrypted) throw new Failure('ENCRYPTION_REQUIRED');
  const plan = planParts(body.fileSize);
  const bytes = storedSize(plan, body.isEncrypted);
  if (request && request.bytes + bytes > limits.maxRequestBytes) throw new Failure('REQUEST_FULL');
  const recordBytes = ROW_BYTES + Buffer.byteLength(body.fileName) + Buffer.byteLength(body.contentType);
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
    extraBytes: objects.takenBytes(bytes) - bytes + recordBytes + MAX_DETAILS_LENGTH,
    recordBytes,
    contentType: body.contentType,
    chunkSize: plan.chunkSize,
    isEncrypted: body.isEncrypted,
    maxDownloads: body.downloadLimit,
    retentionDays: request?.retentionDays ?? body.retentionPeriod ?? FALLBACK_RETENTION_DAYS,
    requestId: request?.id,
    openedAtMs: nowMs,
    expiresAtMs: nowMs + RESERVED_FOR_MS,
    ...countedAs(context, caller, day),
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

/** Returns a signed URL for one part. The signature binds the part's offset and length. */
export async function signPart(
  context: Context,
  { fileKey, uploadId, partNumber }: ApiBody<'presignPart'>,
  caller: Caller,
): Promise<ApiResponse<'presignPart'>> {
  const found = await findOpenUpload(context, { fileKey, uploadId }, partNumber);
  await holdReservation(context, found.upload);
  return { presignedUrl: await signPartUrl(context, { ...found, partNumber }, caller) };
}

interface PartToSign {
  upload: UploadRef & { isEncrypted: boolean };
  plan: PartPlan;
  partNumber: number;
}

function signPartUrl(context: Context, { upload, plan, partNumber }: PartToSign, { siteUrl }: Caller): Promise<string> {
  const { start, length } = storedRange(plan, partNumber - 1, upload.isEncrypted);
  return context.objects.signPartUrl({
    key: upload.fileKey,
    uploadId: upload.uploadId,
    partNumber,
    offset: start,
    length,
    siteUrl,
    expiresAtMs: context.clock.nowMs() + SIGNED_URL_MS,
  });
}

/** Reserves again what a sweep has released. Throws QUOTA_EXCEEDED or RATE_LIMITED if others have taken the room. */
async function holdReservation(context: Context, { fileKey, releasedBytes }: Upload): Promise<void> {
  if (releasedBytes === 0) return;
  const nowMs = context.clock.nowMs();
  const reservation = await context.metadata.reserveAgain(fileKey, nowMs, await reservationLimits(context));
  if (reservation !== 'reserved') throw failureFor(reservation, nowMs);
}

/** Listing all parts after each one would take longer with every part. */
const COUNTED_EVERY = 16;
/** But often enough that a slow upload is not taken for one that has stopped. */
const COUNTED_AFTER_MS = IDLE_UPLOAD_MS / 4;

/** Called after each part: checks that the part is stored, and keeps the upload from being swept as abandoned. */
export async function completePart(context: Context, body: ApiBody<'completePart'>): Promise<void> {
  const { upload } = await findOpenUpload(context, body, body.partNumber);
  await holdReservation(context, upload);
  const stored = { key: upload.fileKey, uploadId: upload.uploadId };
  const nowMs = context.clock.nowMs();
  if (body.partNumber % COUNTED_EVERY !== 1 && nowMs - upload.activeAtMs < COUNTED_AFTER_MS) {
    if (!(await context.objects.hasPart(stored, body))) throw new Failure('PART_MISMATCH');
    return;
  }
  const parts = await context.objects.listParts(stored);
  const isStored = parts.some(({ partNumber, etag }) => partNumber === body.partNumber && etag === body.etag);
  if (!isStored) throw new Failure('PART_MISMATCH');
  const sentBytes = parts.reduce((sum, { length }) => sum + length, 0);
  const expiresAtMs = Math.min(nowMs + ABANDONED_AFTER_MS, upload.openedAtMs + MAX_UPLOAD_AGE_MS);
  await context.metadata.recordSentBytes(upload.fileKey, sentBytes, nowMs, expiresAtMs);
}

/** Lists the stored parts of an upload, so that a client can verify it and resume it. */
export async function uploadStatus(
  context: Context,
  body: ApiBody<'uploadStatus'>,
): Promise<ApiResponse<'uploadStatus'>> {
  const { fileKey, uploadId } = await findUpload(context, body);
  const parts = await context.objects.listParts({ key: fileKey, uploadId });
  return { parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) };
}

type Body = ApiBody<'completeUpload'>;

/**
 * Turns the parts into a file that can be downloaded. Object first, row second. A repeated call returns the same
 * response.
 */
export async function completeUpload(
  context: Context,
  body: Body,
  caller: Caller,
): Promise<ApiResponse<'completeUpload'>> {
  const upload = await findUpload(context, body);
  const pageId = upload.pageId ?? (await complete(context, upload, body, caller));
  return {
    fileUrl: fileUrl(caller.siteUrl, upload.id),
    pageURL: pageUrl(caller.siteUrl, pageId),
    pageID: pageId,
    downloadId: upload.id,
  };
}

async function complete(context: Context, upload: Upload, { metadata, parts }: Body, caller: Caller): Promise<string> {
  const { fileKey, uploadId, fileSize, chunkSize, isEncrypted, retentionDays } = upload;
  if (metadata.chunkSize !== chunkSize) throw new Failure('VALIDATION_FAILED', { field: 'body.metadata.chunkSize' });
  const sealing = sealingOf(metadata, isEncrypted);
  if ((context.limits.hidesNames || upload.requestId !== undefined) && sealing.format !== 2)
    throw new Failure('NAMES_NOT_HIDDEN');
  if (context.limits.requiresFormat2 && isEncrypted && sealing.format !== 2)
    throw new Failure('VALIDATION_FAILED', { field: 'body.metadata.format' });
  const plan = planOfChunks(fileSize, chunkSize);
  await holdReservation(context, upload);
  await context.objects.completeUpload({ key: fileKey, uploadId }, plannedParts(plan, isEncrypted, parts));
  const createdAtMs = context.clock.nowMs();
  const completing = await context.metadata.completeUpload(fileKey, {
    ...sealing,
    pageId: context.newId(),
    uploaderHash: idHashOf(upload.id, caller),
    unusedBytes: MAX_DETAILS_LENGTH - (sealing.details?.length ?? 0),
    records: recordLimit(context, caller),
    createdAtMs,
    expiresAtMs: createdAtMs + retentionDays * DAY_MS,
  });
  // If it is not found, it was cancelled or swept in the meantime.
  if (completing.outcome === 'not-found') throw new Failure('NOT_FOUND');
  return completing.pageId;
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

const FAILURE_OF = {
  'not-found': 'NOT_FOUND',
  'not-allowed': 'FORBIDDEN',
  'too-large': 'SIZE_EXCEEDED',
  'already-grouped': 'ALREADY_GROUPED',
  'request-full': 'REQUEST_FULL',
} as const;

/**
 * Puts the files of one transfer on one page and closes the page. Only the client that has completed them may do it: anyone else who
 * has the link of a file would otherwise be able to add a list.
 */
export async function groupFiles(
  context: Context,
  { fileIDs: fileIds, list, delivery }: ApiBody<'groupFiles'>,
  senderToken: string | undefined,
  caller: Caller,
): Promise<ApiResponse<'groupFiles'>> {
  if (new Set(fileIds).size !== fileIds.length) throw new Failure('VALIDATION_FAILED', { field: 'body.fileIDs' });
  const nowMs = context.clock.nowMs();
  const limits = {
    totalBytes: MAX_TOTAL_BYTES,
    namesLength: MAX_NAMES_LENGTH_PER_PAGE,
    detailsLength: MAX_DETAILS_LENGTH_PER_PAGE,
    storedBytes: context.limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER,
    records: recordLimit(context, caller),
    isUploader: (id: string, uploaderHash: string | null) =>
      uploaderHash === null || uploaderHash === idHashOf(id, caller),
  };
  if (delivery && list === undefined) throw new Failure('VALIDATION_FAILED', { field: 'body.list' });
  const ofRequest = delivery && (await newDelivery(context, delivery, senderToken));
  const grouping = await context.metadata.groupFiles(fileIds, list, limits, nowMs, ofRequest);
  if (grouping.outcome === 'grouped') {
    const { pageId } = grouping;
    return { pageID: pageId, downloadURL: pageUrl(caller.siteUrl, pageId), fileCount: fileIds.length };
  }
  const { outcome } = grouping;
  throw outcome in FAILURE_OF
    ? new Failure(FAILURE_OF[outcome as keyof typeof FAILURE_OF])
    : failureFor(outcome as Refused, nowMs);
}

/** Removes an upload that is not complete. */
export async function cancelUpload(context: Context, { fileKey, uploadId }: ApiBody<'cancelUpload'>): Promise<void> {
  const doomed = await context.metadata.doomUpload(fileKey, uploadId, context.clock.nowMs());
  if (!doomed) throw new Failure('NOT_FOUND');
  await removeBytes(context, doomed);
}

/** Finds an upload by its upload id and file key. */
async function findUpload(context: Context, { fileKey, uploadId }: UploadRef): Promise<Upload> {
  const upload = await context.metadata.findUpload(fileKey, uploadId, context.clock.nowMs());
  if (!upload) throw new Failure('NOT_FOUND');
  return upload;
}

/** Finds an upload that still accepts parts. Throws if this part number is not in its plan. */
async function findOpenUpload(
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

function fileUrl(siteUrl: string, id: string): string {
  return siteUrl + endpointPath('takeGrant', { id });
}

/** Has no language in its path: the reader's browser decides. */
function pageUrl(siteUrl: string, pageId: string): string {
  return `${siteUrl}/download/${pageId}`;
}

/** Per client address and day: more than people behind one address need, and less than a megabyte of rows. */
const MAX_OF_ADDRESS = 1000;
const FULL_RETRY_SECONDS = 3600;

/**
 * The server's half of the key to a resume record in a browser (ADR 10). It is bound to the cookie, and ends with the
 * upload.
 */
export async function createResumeSecret(
  { metadata, clock, newId, hashAddress }: Context,
  caller: Caller,
): Promise<ApiResponse<'createResumeSecret'>> {
  const nowMs = clock.nowMs();
  const id = newId();
  const secret = randomBytes(KEY_BYTES).toString('base64');
  const isAdded = await metadata.addResumeSecret(
    {
      idHash: idHashOf(id, caller),
      secret,
      addressHash: hashAddress(caller.address, utcDay(nowMs)),
      expiresAtMs: nowMs + ABANDONED_AFTER_MS,
      endsAtMs: nowMs + MAX_UPLOAD_AGE_MS,
    },
    MAX_OF_ADDRESS,
  );
  if (!isAdded) throw new Failure('RATE_LIMITED', { retryAfterSeconds: FULL_RETRY_SECONDS });
  return { id, secret };
}

/** Also renews it: a tab reads it from time to time while its upload runs. */
export async function readResumeSecret(
  { metadata, clock }: Context,
  id: string,
  caller: Caller,
): Promise<ApiResponse<'readResumeSecret'>> {
  const nowMs = clock.nowMs();
  const secret = await metadata.renewResumeSecret(idHashOf(id, caller), nowMs, nowMs + ABANDONED_AFTER_MS);
  if (secret === undefined) throw new Failure('NOT_FOUND');
  return { secret };
}

export async function dropResumeSecret({ metadata, clock }: Context, id: string, caller: Caller): Promise<void> {
  const isRemoved = await metadata.removeResumeSecret(idHashOf(id, caller), clock.nowMs());
  if (!isRemoved) throw new Failure('NOT_FOUND');
}

/** Binds the row to the cookie, and does not connect it with other rows of the same client. */
function idHashOf(id: string, { clientHash }: Caller): string {
  return hash('sha256', `${id} ${clientHash}`, 'base64url');
}
