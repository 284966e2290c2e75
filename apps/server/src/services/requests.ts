// Requests for files: someone asks, others send, and only the one who asks can open what arrives. docs/FORMAT.md has the keys.
import { hash, timingSafeEqual } from 'node:crypto';
import {
  type ApiBody,
  type ApiResponse,
  Failure,
  MAX_DELIVERIES,
  REQUEST_HEADER,
  SENDER_TOKEN_HEADER,
} from '@furoshiki/api';
import { KEY_BYTES } from '@furoshiki/format';
import type { NewDelivery, StoredRequest } from '../ports/metadata-store.ts';
import { type Caller, type Context, DAY_MS } from './context.ts';
import { failureFor, recordLimit } from './reservations.ts';
import { type UploadCredentials, uploadRefusal } from './upload-permission.ts';

/** An upload that was opened before the request closed may take so long. */
const UPLOAD_MS = 3 * DAY_MS;

/** Someone who may upload may also ask others to do so. */
export async function createRequest(
  context: Context,
  body: ApiBody<'createRequest'>,
  credentials: UploadCredentials,
  caller: Caller,
): Promise<ApiResponse<'createRequest'>> {
  const { limits, metadata, clock, newId } = context;
  if (limits.maxRequestBytes === 0) throw new Failure('FORBIDDEN');
  const refusal = uploadRefusal(context, credentials);
  if (refusal) throw new Failure(refusal);
  const { salt, card, senderCheck, ownerCheck, openDays, retentionPeriod: retentionDays } = body;
  const nowMs = clock.nowMs();
  const closesAtMs = nowMs + openDays * DAY_MS;
  const endsAtMs = closesAtMs + UPLOAD_MS + retentionDays * DAY_MS;
  const request = { id: newId(), salt, card, senderCheck, ownerCheck, retentionDays, closesAtMs, endsAtMs };
  const storedBytes = limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER;
  const reservation = await metadata.addRequest(request, { storedBytes, records: recordLimit(context, caller) });
  if (reservation !== 'reserved') throw failureFor(reservation, nowMs);
  return { requestID: request.id, closesAt: seconds(closesAtMs) };
}

/** What everyone with the id may see. The card is sealed. */
export async function getRequest(context: Context, id: string): Promise<ApiResponse<'request'>> {
  const { salt, card, closesAtMs, retentionDays } = await findRequest(context, id);
  return {
    salt,
    card,
    closesAt: seconds(closesAtMs),
    isOpen: context.clock.nowMs() < closesAtMs,
    retentionPeriod: retentionDays,
  };
}

export async function listDeliveries(
  context: Context,
  id: string,
  ownerToken: string | undefined,
): Promise<ApiResponse<'deliveries'>> {
  await assertOwner(context, id, ownerToken);
  const deliveries = await context.metadata.listDeliveries(id, context.clock.nowMs(), MAX_DELIVERIES);
  return {
    deliveries: deliveries.map(({ pageId, pageSalt, sealed, deliveredAtMs }) => ({
      pageID: pageId,
      pageSalt,
      sealed,
      deliveredAt: seconds(deliveredAtMs),
    })),
  };
}

/** No upload is opened for it any more. What was begun may end, and what has arrived stays. */
export async function closeRequest(context: Context, id: string, ownerToken: string | undefined): Promise<void> {
  await assertOwner(context, id, ownerToken);
  await context.metadata.closeRequest(id, context.clock.nowMs());
}

/** Closes it, and deletes all that has arrived: from now on none of it can be reached. A sweep removes the bytes. */
export async function deleteRequest(context: Context, id: string, ownerToken: string | undefined): Promise<void> {
  await assertOwner(context, id, ownerToken);
  await context.metadata.endRequest(id, context.clock.nowMs());
}

/** The headers of a call that sends something for a request. */
export interface ForRequest {
  [REQUEST_HEADER]?: string | undefined;
  [SENDER_TOKEN_HEADER]?: string | undefined;
}

/** Finds the request of a new upload. Undefined if the upload belongs to none. Throws if it is closed. */
export async function openRequestFor(context: Context, headers: ForRequest): Promise<StoredRequest | undefined> {
  const id = headers[REQUEST_HEADER];
  if (id === undefined) return undefined;
  const request = await requestOfSender(context, id, headers[SENDER_TOKEN_HEADER]);
  if (context.clock.nowMs() >= request.closesAtMs) throw new Failure('REQUEST_CLOSED');
  if (request.deliveries >= MAX_DELIVERIES) throw new Failure('REQUEST_FULL');
  return request;
}

export async function newDelivery(
  context: Context,
  { requestID, sealed }: NonNullable<ApiBody<'groupFiles'>['delivery']>,
  senderToken: string | undefined,
): Promise<NewDelivery> {
  const { id: requestId } = await requestOfSender(context, requestID, senderToken);
  return { requestId, sealed, maxDeliveries: MAX_DELIVERIES, maxBytes: context.limits.maxRequestBytes };
}

async function requestOfSender(context: Context, id: string, token: string | undefined): Promise<StoredRequest> {
  const request = await findRequest(context, id);
  if (!matches(request.senderCheck, token)) throw new Failure('FORBIDDEN');
  return request;
}

/** Throws KEY_PROOF_REQUIRED, or NOT_FOUND if the request has ended. */
export async function assertOwner(context: Context, id: string, ownerToken: string | undefined): Promise<void> {
  const { ownerCheck } = await findRequest(context, id);
  if (!matches(ownerCheck, ownerToken)) throw new Failure('KEY_PROOF_REQUIRED');
}

async function findRequest({ metadata, clock }: Context, id: string): Promise<StoredRequest> {
  const request = await metadata.findRequest(id, clock.nowMs());
  if (!request) throw new Failure('NOT_FOUND');
  return request;
}

/** Whether the token is the one whose SHA-256 is stored. Compares in constant time. */
export function matches(check: string, token = ''): boolean {
  const bytes = Buffer.from(token, 'base64');
  // The decoder ignores characters that are not Base64.
  const isWellFormed = bytes.length === KEY_BYTES && bytes.toString('base64') === token;
  return isWellFormed && timingSafeEqual(hash('sha256', bytes, 'buffer'), Buffer.from(check, 'base64'));
}

const seconds = (timeMs: number) => Math.floor(timeMs / 1000);
