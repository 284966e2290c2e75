// What every use case works with.
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';

export interface Context {
  metadata: MetadataStore;
  objects: ObjectStore;
  clock: Clock;
  /** 128 fresh random bits in Base64url. */
  newId(): string;
  limits: Limits;
  /** Whether what waits in the outbox is mailed to the operator. */
  sendsMail: boolean;
  /** A keyed hash of the client's address, different every day: it counts, and tells nobody who it was. */
  hashAddress(address: string, day: string): string;
}

/** What it takes to end files: the server's own Context, or the little that the operator's commands have. */
export type Stores = Pick<Context, 'metadata' | 'objects' | 'clock'>;

/** What the operator allows. Undefined: as much as there is. */
export interface Limits {
  allowUnencrypted: boolean;
  maxStoredBytes: number | undefined;
  minFreeDiskBytes: number;
  maxDailyUploadBytes: number | undefined;
  uploadToken: string | undefined;
  contactEmail: string | undefined;
}

/** Who asks, and where they reached us: signed URLs must lead back to the same site. */
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
export const ABANDONED_AFTER_MS = DAY_MS;
