// What every use case works with.
import { endpointPath } from '@furoshiki/api';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';

export interface Context {
  metadata: MetadataStore;
  objects: ObjectStore;
  clock: Clock;
  /** Returns 128 fresh random bits in Base64url. */
  newId(): string;
  limits: UploadLimits;
  /** Undefined: people do not sign in to send. */
  uploadPasses: UploadPasses | undefined;
  /** Whether the messages in the outbox are mailed to the operator. */
  sendsMail: boolean;
  /** Returns a keyed hash of a client's address. It changes every day: it can count uploads, not identify a client. */
  hashAddress(address: string, day: string): string;
}

/**
 * Proves that the proxy has let a person through to the sign-in page. Signed and not stored: all servers with the same secret
 * accept it. It contains no name, so the server does not know who sends.
 */
export interface UploadPasses {
  issue(): string;
  isValid(pass: string): boolean;
}

/** The part of Context that is needed to delete files. The operator's commands have no more than this. */
export type Stores = Pick<Context, 'metadata' | 'objects' | 'clock'>;

/** What the operator allows to be uploaded. Undefined means no limit. */
export interface UploadLimits {
  allowUnencrypted: boolean;
  /** Refuses files whose names, types and exact sizes the server would learn. */
  hidesNames: boolean;
  maxStoredBytes: number | undefined;
  minFreeDiskBytes: number;
  /** Per client address and day. */
  maxDailyUploadBytes: number;
  /** Per client address: announced bytes that have not arrived. */
  maxUnsentBytes: number;
  uploadToken: string | undefined;
}

/** The client of a request, and the address at which it reached us: signed URLs must point to the same site. */
export interface Caller {
  clientHash: string;
  address: string;
  /** Origin and base path. */
  siteUrl: string;
}

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Long enough for a slow part, short enough that a leaked URL is soon worthless. */
export const SIGNED_URL_MS = HOUR_MS;
export const GRANT_MS = 12 * HOUR_MS;
/** How long space is reserved for an upload without a stored part: longer than a request for the first part may take. */
export const RESERVED_FOR_MS = 20 * 60_000;
/**
 * One upload may take this part of the room that is left, so that some remains for others however much is announced and
 * never sent. Not less, because a small server should still accept the one large upload that fits.
 */
export const SHARE_OF_REST = 7 / 8;
/** While one upload of an address is open, its others may only fill this part of all room. */
export const SHARE_OF_ADDRESS = 1 / 2;
/** Opening an upload takes a little longer for each one that is open. Our client opens a few at once. */
export const MAX_OPEN_UPLOADS_OF_ADDRESS = 200;
/** How long an upload is kept after its last new part. */
export const ABANDONED_AFTER_MS = DAY_MS;
/** The maximum age of an upload, even if new parts still arrive: 10 GB take a day at 1 Mbit/s. */
export const MAX_UPLOAD_AGE_MS = 3 * DAY_MS;

export function fileUrl(siteUrl: string, id: string): string {
  return siteUrl + endpointPath('takeGrant', { id });
}

/** Has no language in its path: the reader's browser decides. */
export function pageUrl(siteUrl: string, pageId: string): string {
  return `${siteUrl}/download/${pageId}`;
}

/** Returns the day as `2027-01-31`. Days sort as text. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export function nextUtcMidnightMs(timeMs: number): number {
  return new Date(timeMs).setUTCHours(24, 0, 0, 0);
}
