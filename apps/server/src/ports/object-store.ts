// Stores sealed bytes. The disk store and the S3 stores follow the same contract.
import type { Readable } from 'node:stream';
import { forEachInLanes } from '../lanes.ts';
import { StoreFailure } from './store-failures.ts';

interface PartRef {
  partNumber: number;
  etag: string;
}

export interface StoredPart extends PartRef {
  length: number;
}

/** Whether the stored parts are these, in any order. */
export function sameParts(stored: readonly StoredPart[], wanted: readonly StoredPart[]): boolean {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]));
  return (
    byNumber.size === wanted.length &&
    wanted.every(({ partNumber, etag, length }) => {
      const part = byNumber.get(partNumber);
      return part?.etag === etag && part.length === length;
    })
  );
}

/**
 * Identifies an upload in progress within the store. The server chooses the key, which clients know as the file key;
 * the store chooses the upload id.
 */
export interface StoreUploadRef {
  key: string;
  uploadId: string;
}

export interface ObjectStore {
  /** Opens an upload under a new key. Returns the upload id. */
  createUpload(key: string): Promise<string>;
  /** Returns a URL that accepts one PUT of exactly `length` bytes. `siteUrl` is the address of this server. */
  signPartUrl(part: PartLocation & Signed): Promise<string>;
  /** Returns the parts that are durably stored, by number. Throws NOT_FOUND for an unknown upload. */
  listParts(upload: StoreUploadRef): Promise<StoredPart[]>;
  /** Whether this part is durably stored. Throws NOT_FOUND for an unknown upload. */
  hasPart(upload: StoreUploadRef, part: PartRef): Promise<boolean>;
  /** Turns the parts into one object, or throws PART_MISMATCH and changes nothing. Idempotent. */
  completeUpload(upload: StoreUploadRef, parts: StoredPart[]): Promise<void>;
  /** Removes an upload and its parts. Idempotent. */
  abortUpload(upload: StoreUploadRef): Promise<void>;
  /** Returns a URL that serves a completed object to GET requests, also with ranges, until it expires. */
  signReadUrl(object: GrantedObject & Signed): Promise<string>;
  /** Returns the size of a completed object. Throws NOT_FOUND. */
  sizeOf(key: string): Promise<number>;
  /**
   * Yields the bytes from `start` up to, but not including, `end` of a completed object, in blocks. A block is valid
   * until the next one is requested: then its memory may be overwritten.
   */
  read(key: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Removes a completed object and all versions of it. Idempotent. */
  delete(key: string): Promise<void>;
  /** Removes everything under the key, uploads and objects alike. Idempotent. */
  purge(key: string): Promise<void>;
  /** Like `delete`, with as few requests as possible. Returns the keys that could not be deleted. */
  deleteAll(keys: readonly string[]): Promise<KeptObject[]>;
  /** Like `purge`, with as few requests as possible. Returns the keys that could not be purged. */
  purgeAll(keys: readonly string[]): Promise<KeptObject[]>;
  /** Lists the keys of uploads and objects after `afterKey`, sorted, with their times of creation. */
  listKeys(afterKey: string, limit: number): Promise<{ key: string; createdAtMs: number }[]>;
  /** Returns every address of the bucket and of an object in it, without a signature. Missing if it has no address. */
  unsignedUrls?(key: string): { bucket: string; object: string }[];
  /** Throws if the store does not respond, or is visibly read-only. It writes nothing. */
  ping(): Promise<void>;
  /** Returns what fits into the store. */
  free(): Promise<FreeSpace>;
  /** Returns how much room an object of this many bytes takes in the store. */
  takenBytes(bytes: number): number;
  /** Returns the id of the database that owns this store. Undefined means that the store has no owner yet. */
  readOwner(): Promise<string | undefined>;
  writeOwner(databaseId: string): Promise<void>;
  /** Returns the epoch of the database that was written last. Undefined if there was none. */
  readEpoch(): Promise<string | undefined>;
  writeEpoch(epoch: string): Promise<void>;
}

export interface KeptObject {
  key: string;
  error: unknown;
}

/** Removes objects one by one, several at the same time. Throws if the store is away. */
export async function removeEach(
  keys: readonly string[],
  remove: (key: string) => Promise<void>,
): Promise<KeptObject[]> {
  const kept: KeptObject[] = [];
  await forEachInLanes(keys, async (key) => {
    try {
      await remove(key);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      kept.push({ key, error });
    }
  });
  return kept;
}

/** Undefined means no known limit. */
export interface FreeSpace {
  bytes: number | undefined;
  inodes: Inodes | undefined;
}

/** Each file and each folder needs one, whatever its size. */
export interface Inodes {
  free: number;
  total: number;
}

const KEPT_INODES = 1 / 20;

/** Whether only those are left that the database and other programs may need. */
export const hasTooFewInodes = ({ free, total }: Inodes): boolean => free < total * KEPT_INODES;

/** An object, and the client whose grant allows to read it. */
export interface GrantedObject {
  key: string;
  clientHash: string;
}

interface Signed {
  siteUrl: string;
  expiresAtMs: number;
}

/** Identifies one part and its range. A signed URL binds all of it. */
export interface PartLocation extends StoreUploadRef {
  partNumber: number;
  offset: number;
  length: number;
}

/** A store whose signed URLs point to this server. It checks on every request that the grant of a read URL is live. */
export interface ServedStore extends ObjectStore {
  /** Stores one part. Returns its ETag once it is durable. Throws PART_LENGTH_INVALID if the body has another length. */
  writePart(part: PartLocation, body: Readable): Promise<string>;
}

/** A store with its own address: browsers send and fetch bytes there directly. */
export interface RemoteStore extends ObjectStore {
  origin: string;
  /** Sets up CORS: pages of this origin may send parts and fetch ranges. */
  allowBrowsers(siteOrigin: string): Promise<void>;
  /** Sets up a lifecycle rule: the store itself removes what the sweeper has missed for days. */
  expireLeftovers(): Promise<void>;
  /** Whether that rule is in place. */
  expiresLeftovers(): Promise<boolean>;
  /** Whether the bucket keeps old versions of objects that no rule removes. */
  keepsVersions(): Promise<boolean>;
}
