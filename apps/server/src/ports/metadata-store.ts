// The records of files, pages and grants. Every limit is checked and changed in one statement.
import type { OutboxRecords, ReportRecords } from './messages.ts';

export interface NewUpload {
  id: string;
  fileKey: string;
  uploadId: string;
  fileName: string;
  /** Plaintext bytes. */
  fileSize: number;
  /** Bytes in the store. */
  storedSize: number;
  /** What the file takes besides: blocks, folder, row, and as many details as it may have. */
  extraBytes: number;
  /** Of those, what the row takes without its details. */
  recordBytes: number;
  contentType: string;
  chunkSize: number;
  isEncrypted: boolean;
  maxDownloads: number;
  retentionDays: 1 | 2 | 3;
  openedAtMs: number;
  /** When the upload counts as abandoned. */
  expiresAtMs: number;
  /** The request for files that it is sent for. */
  requestId?: string | undefined;
  /** Keyed hash of the sender's address, which changes every day. */
  addressHash: string;
  /** The day (UTC) of that hash. */
  day: string;
  network?: LargerNetwork | undefined;
}

/** Many addresses that may belong to one person: all of them together may announce and add `factor` times as much in a day. */
export interface LargerNetwork {
  addressHash: string;
  factor: number;
}

/** What the reservation of a new upload must not exceed. */
export interface ReservationLimits {
  /** All files together, complete or not, and what is known of them. */
  storedBytes: number;
  /** Bytes that open uploads have announced and not yet sent. */
  unsentBytes: number;
  /** The same, of one address. */
  unsentBytesOfAddress: number;
  openUploadsOfAddress: number;
  /** The same two, of all addresses of a larger network. */
  unsentBytesOfNetwork: number;
  openUploadsOfNetwork: number;
  /** The part of the room that is left which one upload may take. Room is what could still be sent and stored. */
  shareOfRest: number;
  /** The part of all room that one address may have announced and not yet sent, beyond its first open upload. */
  shareOfAddress: number;
  shareOfNetwork: number;
  /** Bytes that one address announces in a day. */
  dailyBytesOfAddress: number;
  /** Of those, bytes in the database. */
  dailyRecordBytesOfAddress: number;
  /** How many of them each open upload may still add when it is completed: then it is too late to refuse it. */
  recordBytesToCome: number;
}

/** How many bytes one address may add to the database in a day. */
export interface RecordLimit {
  addressHash: string;
  day: string;
  network?: LargerNetwork | undefined;
  max: number;
}

export type Reservation = 'reserved' | 'storage-full' | 'too-much-unsent' | 'daily-limit-reached';

export interface Upload
  extends Omit<NewUpload, 'storedSize' | 'extraBytes' | 'recordBytes' | 'addressHash' | 'day' | 'network'> {
  /** When it was opened, or a new part of it was last counted. */
  activeAtMs: number;
  /** Bytes whose reservation was released because no part came. */
  releasedBytes: number;
  /** The file's page. Set once the upload is complete. */
  pageId: string | undefined;
}

/** What the sender says about the encryption of a file. The server only stores it. */
export interface Sealing {
  format: 1 | 2;
  salt: string | undefined;
  keyCheck: string | undefined;
  /** These three only of format 2. */
  pageSalt: string | undefined;
  /** SHA-256 of the token that a download requires, in Base64. Never part of a response. */
  accessCheck: string | undefined;
  details: string | undefined;
}

export interface Completion extends Sealing {
  pageId: string;
  /** Recognises the client that has sent the file. */
  uploaderHash: string;
  records: Omit<RecordLimit, 'max'>;
  /** How much less the details take than the reservation had for them. */
  unusedBytes: number;
  createdAtMs: number;
  expiresAtMs: number;
}

export type Completing = { outcome: 'completed'; pageId: string } | { outcome: 'not-found' };

/** A complete file, neither expired nor deleted. */
export interface LiveFile extends Sealing {
  id: string;
  fileKey: string;
  fileName: string;
  fileSize: number;
  contentType: string;
  chunkSize: number;
  isEncrypted: boolean;
  maxDownloads: number;
  currentDownloads: number;
  retentionDays: 1 | 2 | 3;
  /** The request for files that it was sent for. */
  requestId: string | undefined;
  createdAtMs: number;
  expiresAtMs: number;
  /** Whether the caller holds a live grant on it. */
  granted: boolean;
}

/** A file that no call can reach any more, whose bytes are still to be removed. */
export interface DoomedFile {
  id: string;
  fileKey: string;
  uploadId: string;
  /** Null if the upload was not completed. */
  pageId: string | null;
}

/** Someone asks for files. Salt and card are the client's. */
export interface StoredRequest {
  id: string;
  salt: string;
  card: string;
  /** SHA-256 of the tokens of the senders and of the owner, in Base64. Never part of a response. */
  senderCheck: string;
  ownerCheck: string;
  /** How long files stay that are sent for it. */
  retentionDays: 1 | 2 | 3;
  /** From then on no upload is opened for it. */
  closesAtMs: number;
  /** From then on it does not exist for any call. */
  endsAtMs: number;
  /** What was delivered, also if it is deleted by now. */
  bytes: number;
  deliveries: number;
}

/** What turns a page into a delivery. */
export interface NewDelivery {
  requestId: string;
  /** The key of the page, sealed for the owner. */
  sealed: string;
  maxDeliveries: number;
  /** Of all deliveries together, as they are stored. */
  maxBytes: number;
}

interface Delivery {
  pageId: string;
  pageSalt: string;
  sealed: string;
  deliveredAtMs: number;
}

export interface PageLimits {
  /** Plaintext bytes of all files. */
  totalBytes: number;
  /** Characters of all names. */
  namesLength: number;
  /** Characters of the sealed details of all files. */
  detailsLength: number;
  /** Of all files together, as in a reservation. */
  storedBytes: number;
  records: RecordLimit;
  /** Whether the caller has sent the file. `uploaderHash` is null if an older version has completed it. */
  isUploader(id: string, uploaderHash: string | null): boolean;
}

interface Page {
  files: LiveFile[];
  /** The sealed list of its files, as the sender has sent it. */
  list: string | undefined;
}

export type Grouping =
  | { outcome: 'grouped'; pageId: string }
  | {
      outcome:
        | 'not-found'
        | 'not-allowed'
        | 'too-large'
        | 'already-grouped'
        | 'request-full'
        | Exclude<Reservation, 'reserved'>;
    };
type GrantTaking = { outcome: 'granted'; file: LiveFile } | { outcome: 'limit-reached' | 'not-found' | 'not-allowed' };

/** A client at a moment: decides which grants are its own, and which files have expired. */
export interface MetadataCaller {
  /** Hash of the browser's cookie. */
  clientHash: string;
  nowMs: number;
}

/** Uploads, until they become files. */
export interface UploadRecords {
  /** Stores the upload and reserves its bytes, or changes nothing if that would exceed a limit. */
  insertUpload(upload: NewUpload, limits: ReservationLimits): Promise<Reservation>;
  /** Deletes up to `limit` volumes of days before this one. */
  forgetVolumes(beforeDay: string, limit: number): Promise<void>;
  /** Finds an upload, complete or not, by both of its ids, until it is abandoned or its file has expired. */
  findUpload(fileKey: string, uploadId: string, nowMs: number): Promise<Upload | undefined>;
  /** Sets how much of an open upload has arrived. If that is more than before, the upload counts as abandoned later. */
  recordSentBytes(fileKey: string, sentBytes: number, nowMs: number, expiresAtMs: number): Promise<void>;
  /** Releases the unsent bytes of up to `limit` open uploads of which no new part was counted since then. */
  releaseReservations(inactiveSinceMs: number, limit: number): Promise<number>;
  /** Reserves again what was released of an upload, or changes nothing if that would exceed a limit. */
  reserveAgain(fileKey: string, nowMs: number, limits: ReservationLimits): Promise<Reservation>;
  /**
   * Makes the upload a live file, or changes nothing if its details would exceed the limit of the address. Returns its page
   * id: this one, or that of an earlier completion.
   */
  completeUpload(fileKey: string, completion: Completion): Promise<Completing>;
}

/** Files that can be downloaded, and the pages that show them. */
export interface FileRecords {
  /**
   * Puts files in this order on the page of the first one, all of them or none, and stores the list with the page. A
   * repeated call returns the same page and changes nothing. Files that were sent for a request are only put on a page
   * together with a delivery, which has a list.
   */
  groupFiles(
    fileIds: string[],
    list: string | undefined,
    limits: PageLimits,
    nowMs: number,
    delivery?: NewDelivery,
  ): Promise<Grouping>;
  listPage(pageId: string, caller: MetadataCaller): Promise<Page>;
  findFile(id: string, caller: MetadataCaller): Promise<LiveFile | undefined>;
  findFileByKey(fileKey: string, caller: MetadataCaller): Promise<LiveFile | undefined>;
}

/** Which client may download which file, and how often. */
export interface GrantRecords {
  /**
   * Uses up one download of the file's limit, or finds the grant that this client still holds. `isAllowed` is asked
   * before either.
   */
  takeGrant(
    id: string,
    caller: MetadataCaller,
    grantExpiresAtMs: number,
    isAllowed: (file: LiveFile) => boolean | Promise<boolean>,
  ): Promise<GrantTaking>;
  /** Ends this client's grant, if it has one. */
  endGrant(id: string, caller: MetadataCaller): Promise<void>;
}

/** Deletion of files. A file is doomed first, so that it is gone for every call; its row is deleted after its bytes. */
export interface DoomRecords {
  /** Dooms a live file: from then on it does not exist for any call. */
  doomFile(id: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms a file whose limit is reached, if no grant on it is live. */
  doomIfUsedUp(id: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms an upload that is not complete. */
  doomUpload(fileKey: string, uploadId: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms up to `limit` files that expired or were abandoned, and up to `limit` files at their download limit without a live grant. */
  doomOverdue(nowMs: number, limit: number): Promise<number>;
  /** Deletes up to `limit` expired grants. */
  forgetGrants(nowMs: number, limit: number): Promise<void>;
  /** Claims up to `limit` doomed files, oldest first. No other caller gets them until the lease ends. */
  claimDoomed(nowMs: number, leaseMs: number, limit: number): Promise<DoomedFile[]>;
  /** Returns those of these keys that have no row in any state. */
  unknownKeys(fileKeys: string[]): Promise<string[]>;
  /** Lists live files with keys after `afterKey`, sorted by key. */
  listLiveKeys(afterKey: string, limit: number): Promise<{ id: string; fileKey: string }[]>;
  /**
   * Deletes the row of a doomed file, and the list of its page if it was the last file there, and releases its reserved
   * bytes. Call it when the bytes are removed.
   */
  forget(id: string): Promise<void>;
  /** Removes what deleted rows left in the files of an embedded database, and stray copies once an hour if it is small. */
  eraseTraces(nowMs: number): Promise<void>;
}

/** Requests for files. */
export interface RequestRecords {
  /** Stores the request, or changes nothing if that would exceed a limit. */
  addRequest(
    request: Omit<StoredRequest, 'bytes' | 'deliveries'>,
    limits: Pick<PageLimits, 'storedBytes' | 'records'>,
  ): Promise<Reservation>;
  /** Finds a request until it ends. */
  findRequest(id: string, nowMs: number): Promise<StoredRequest | undefined>;
  /** Lists up to `limit` deliveries whose files are not all gone, in the order in which they arrived. */
  listDeliveries(requestId: string, nowMs: number, limit: number): Promise<Delivery[]>;
  closeRequest(id: string, nowMs: number): Promise<void>;
  /** From then on the request does not exist for any call. A sweep removes it and its files. */
  endRequest(id: string, nowMs: number): Promise<void>;
  /** Dooms up to `limit` files of requests that have ended. Returns how many. */
  doomFilesOfEnded(nowMs: number, limit: number): Promise<number>;
  /** Deletes up to `limit` requests that have ended and have no files left. Returns how many. */
  forgetRequests(nowMs: number, limit: number): Promise<number>;
}

export interface Claim {
  databaseId: string;
  epoch: string;
  nowMs: number;
  keepUnknownUntilMs: number;
}

/** Shared state of the servers that use the same database. */
export interface SharedRecords {
  /** Returns the id of this database. */
  databaseId(): Promise<string>;
  /** Whether this database has begun that epoch. A copy of it from before has not. */
  knowsEpoch(epoch: string): Promise<boolean>;
  /** Begins an epoch, and forgets those before `forgetBeforeMs` except `current`, which the store still has. */
  beginEpoch(epoch: string, nowMs: number, current: string | undefined, forgetBeforeMs: number): Promise<void>;
  /**
   * Gives this database another id and one epoch. Uploads that seem open may be files of the database that is given up: their
   * rows are doomed, and no bytes belong to them any more.
   */
  claim(claim: Claim): Promise<void>;
  /** Until then, objects without a row may belong to files of another database. */
  keepsUnknownUntilMs(): Promise<number>;
  /** Claims a job until the lease ends. Returns its saved progress: empty at first, undefined if another server has it. */
  claimJob(name: string, nowMs: number, leaseMs: number): Promise<string | undefined>;
  saveProgress(name: string, progress: string): Promise<void>;
  /** Counts one hit within a window that begins with the first hit. Returns the hits and the end of the window. */
  countHit(key: string, nowMs: number, windowMs: number): Promise<{ hits: number; endsAtMs: number }>;
  /** Deletes up to `limit` windows that have ended. Returns how many. */
  forgetHits(nowMs: number, limit: number): Promise<number>;
}

export interface MetadataStore
  extends UploadRecords,
    FileRecords,
    GrantRecords,
    DoomRecords,
    RequestRecords,
    ResumeSecretRecords,
    OutboxRecords,
    ReportRecords,
    SharedRecords,
    OperatorRecords {
  /** Missing if the database has no connections: it is part of this process. */
  connections?(): ConnectionCounts;
  close(): Promise<void>;
}

export interface Tally {
  /** What all files take, with what is known of them. */
  storedBytes: number;
  /** Files that can be downloaded, and those that expired since the last sweep. */
  liveFiles: number;
  openUploads: number;
  doomedFiles: number;
  /** Messages to the operator that are not mailed or removed yet, counted up to 1,000. */
  waitingMessages: number;
  /** Reports of abuse that the operator has not removed yet, counted up to 1,000. */
  waitingReports: number;
}

export interface OperatorRecords {
  /** Throws if the database does not respond, or is read-only. It writes nothing, so it does not notice a full disk. */
  ping(): Promise<void>;
  /** Counts what is stored. The cost does not depend on the number of files, so it may be called every few seconds. */
  tally(): Promise<Tally>;
  /** Counts the live grants. The cost grows with their number, so do not call it in a loop. */
  countGrants(nowMs: number): Promise<number>;
  /**
   * Reads the database. Returns the database's own messages about damage, and the tables that were not read: if the database is
   * larger than `maxBytes`, those that grow with the number of files.
   */
  findDamage(maxBytes: number): Promise<{ damage: string[]; unread: string[] }>;
  /** Throws if the database accepts no writes. Commits a write that changes nothing. */
  tryWriting(): Promise<void>;
}

export interface ConnectionCounts {
  open: number;
  /** Of the open ones. */
  idle: number;
  /** Calls that wait for a connection. */
  waiting: number;
}

interface NewResumeSecret {
  /** Hash of the id and of the client's cookie. */
  idHash: string;
  /** Base64. */
  secret: string;
  /** Keyed hash of the client's address, which changes every day. */
  addressHash: string;
  expiresAtMs: number;
  /** It cannot be renewed beyond this time. */
  endsAtMs: number;
}

export interface ResumeSecretRecords {
  /** Returns false, and stores nothing, if the address already has `maxOfAddress` secrets. */
  addResumeSecret(secret: NewResumeSecret, maxOfAddress: number): Promise<boolean>;
  /** Sets when the secret expires, at its end at the latest, and returns it. Undefined if there is none. */
  renewResumeSecret(idHash: string, nowMs: number, expiresAtMs: number): Promise<string | undefined>;
  /** Returns false if there is none. */
  removeResumeSecret(idHash: string, nowMs: number): Promise<boolean>;
  /** Deletes up to `limit` expired secrets. Returns how many. */
  forgetResumeSecrets(nowMs: number, limit: number): Promise<number>;
}
