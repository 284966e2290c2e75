// What every use case works with.
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
  /** Whether the object store can be used with another database than this one. */
  leavesEpochs: boolean;
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
  /** Whether encrypted files of format 1 are refused. */
  requiresFormat2: boolean;
  /** Refuses files whose names, types and exact sizes the server would learn. */
  hidesNames: boolean;
  maxStoredBytes: number | undefined;
  minFreeDiskBytes: number;
  /** Per client address and day. */
  maxDailyUploadBytes: number;
  /** The same, of bytes in the database. */
  maxDailyRecordBytes: number;
  /** Per client address: announced bytes that have not arrived. */
  maxUnsentBytes: number;
  uploadToken: string | undefined;
  /** The most bytes that all deliveries of one request may have together. 0 turns requests off. */
  maxRequestBytes: number;
}

/** All addresses of a larger network together may upload this many times as much as one address. */
export const NETWORK_FACTOR = 4;

/** The client of a request, and the address at which it reached us: signed URLs must point to the same site. */
export interface Caller {
  clientHash: string;
  address: string;
  /** Which may store `factor` times as much. Only IPv6 has it. */
  network?: { name: string; factor: number } | undefined;
  /** Origin and base path. */
  siteUrl: string;
}

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Long enough for a slow part, short enough that a leaked URL is soon worthless. */
export const SIGNED_URL_MS = HOUR_MS;
export const GRANT_MS = 12 * HOUR_MS;
/** How long space stays reserved for an upload that has sent parts and now sends none. Longer than the slowest part takes. */
export const IDLE_UPLOAD_MS = HOUR_MS;
/** Returns the day as `2027-01-31`. Days sort as text. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export function nextUtcMidnightMs(timeMs: number): number {
  return new Date(timeMs).setUTCHours(24, 0, 0, 0);
}
