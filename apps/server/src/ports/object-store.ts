// Where sealed bytes live. One contract, kept by the disk and by every S3 store.
import type { Readable } from 'node:stream';

export interface PartRef {
  partNumber: number;
  etag: string;
}

export interface StoredPart extends PartRef {
  length: number;
}

/** An upload in progress. The key is ours; the upload id is the store's. */
export interface UploadRef {
  key: string;
  uploadId: string;
}

export interface ObjectStore {
  /** Opens an upload under a key never used before and answers the upload id. */
  createUpload(key: string): Promise<string>;
  /** A URL that takes one PUT of exactly these many bytes. `siteUrl` is where this server is reached. */
  signPartUrl(part: PartPlace & Signed): Promise<string>;
  /** The parts that are safely stored, in order of their numbers. Throws NOT_FOUND for an unknown upload. */
  listParts(upload: UploadRef): Promise<StoredPart[]>;
  /** Turns the parts into one object, or throws PART_MISMATCH and changes nothing. Doing it again is harmless. */
  completeUpload(upload: UploadRef, parts: StoredPart[]): Promise<void>;
  /** Removes an upload and its parts. Doing it again is harmless. */
  abortUpload(upload: UploadRef): Promise<void>;
  /** A URL that answers GETs, with ranges, of a completed object. */
  signReadUrl(object: { key: string } & Signed): Promise<string>;
  /** The size of a completed object. Throws NOT_FOUND. */
  sizeOf(key: string): Promise<number>;
  /**
   * Bytes from `start` up to, not including, `end` of a completed object, block by block. A block may be used until the
   * next is asked for: its memory may then hold other bytes.
   */
  read(key: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Removes a completed object. Doing it again is harmless. */
  delete(key: string): Promise<void>;
  /** Removes whatever stands under the key, uploads and objects alike. Doing it again is harmless. */
  purge(key: string): Promise<void>;
  /** Keys in use, of uploads and objects alike, in the order of their names after `afterKey`, with when they were made. */
  listKeys(afterKey: string, limit: number): Promise<{ key: string; createdAtMs: number }[]>;
  /** Throws where the store does not answer, or takes no writes as far as can be told without one. */
  ping(): Promise<void>;
  /** How many bytes the store can still take. Undefined: nobody knows an end. */
  freeBytes(): Promise<number | undefined>;
  /** What was last written with `writeOwner`: which database this store belongs to. Undefined: nothing ever was. */
  readOwner(): Promise<string | undefined>;
  writeOwner(mark: string): Promise<void>;
}

interface Signed {
  siteUrl: string;
  expiresAtMs: number;
}

/** One part's place, as a signed URL binds it. */
export interface PartPlace extends UploadRef {
  partNumber: number;
  offset: number;
  length: number;
}

/** A store whose signed URLs lead back to this very server. */
export interface ServedStore extends ObjectStore {
  /** Stores one part and answers its ETag once it is durable. Throws PART_LENGTH_INVALID where the body has another length. */
  writePart(part: PartPlace, body: Readable): Promise<string>;
}

/** A store whose signed URLs lead elsewhere, where browsers go by themselves. */
export interface RemoteStore extends ObjectStore {
  origin: string;
  /** Lets pages of this origin send parts and fetch ranges. */
  allowBrowsers(siteOrigin: string): Promise<void>;
  /** Has the store itself clear away what the sweeper has not for days. */
  expireLeftovers(): Promise<void>;
  /** Whether it was told to. */
  expiresLeftovers(): Promise<boolean>;
}
