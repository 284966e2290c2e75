// What the server remembers about files, pages and grants, and for the operator. Every limit changes in one conditional statement.

export interface NewUpload {
  id: string;
  fileKey: string;
  uploadId: string;
  fileName: string;
  /** Plaintext bytes. */
  fileSize: number;
  /** Bytes in the store. */
  storedSize: number;
  contentType: string;
  chunkSize: number;
  isEncrypted: boolean;
  maxDownloads: number;
  retentionDays: 1 | 2 | 3;
  /** When the upload counts as abandoned. */
  expiresAtMs: number;
}

export interface Upload extends Omit<NewUpload, 'expiresAtMs' | 'storedSize'> {
  /** Set once the upload is complete: the page that it made. */
  pageId: string | undefined;
}

export interface Completion {
  pageId: string;
  salt: string | undefined;
  keyCheck: string | undefined;
  createdAtMs: number;
  expiresAtMs: number;
}

/** A complete file, neither expired nor deleted. */
export interface LiveFile {
  id: string;
  fileKey: string;
  fileName: string;
  fileSize: number;
  contentType: string;
  chunkSize: number;
  isEncrypted: boolean;
  salt: string | undefined;
  keyCheck: string | undefined;
  maxDownloads: number;
  currentDownloads: number;
  retentionDays: 1 | 2 | 3;
  createdAtMs: number;
  expiresAtMs: number;
  /** Whether the asking client holds a live grant on it. */
  granted: boolean;
}

/** A file that nobody can reach any more and whose bytes are still to be removed. */
export interface DoomedFile {
  id: string;
  fileKey: string;
  uploadId: string;
}

export type Grouping =
  | { outcome: 'grouped'; pageId: string }
  | { outcome: 'not-found' | 'too-large' | 'already-grouped' };
export type GrantTaking = { outcome: 'granted'; file: LiveFile } | { outcome: 'limit-reached' | 'not-found' };

export interface MetadataCaller {
  /** Hash of the asking browser's cookie. */
  clientHash: string;
  nowMs: number;
}

/** Uploads, until they are files. */
export interface UploadRecords {
  /** Reserves the upload's bytes and remembers it, or answers false where `maxStoredBytes` would be passed. */
  insertUpload(upload: NewUpload, maxStoredBytes: number): Promise<boolean>;
  /** Bytes that uploads still under way may come to take. */
  uploadingBytes(): Promise<number>;
  /** Adds to what an address has uploaded on a day, or answers false where that would pass `maxBytes`. */
  spendVolume(addressHash: string, day: string, bytes: number, maxBytes: number): Promise<boolean>;
  /** Forgets the volumes of days before this one, up to `limit` of them. */
  forgetVolumes(beforeDay: string, limit: number): Promise<void>;
  /** Finds an upload, complete or not, by both of its names, until it is abandoned or its file has expired. */
  findUpload(fileKey: string, uploadId: string, nowMs: number): Promise<Upload | undefined>;
  /** Postpones the moment at which an incomplete upload counts as abandoned. */
  touchUpload(fileKey: string, expiresAtMs: number): Promise<void>;
  /** Makes the upload a live file. Answers the page id that stands: this one, or that of an earlier completion. */
  completeUpload(fileKey: string, completion: Completion): Promise<string | undefined>;
}

/** Files that can be downloaded, and the pages that show them. */
export interface FileRecords {
  /** Puts files on one page, in this order, all of them or none. The same call again answers the same page. */
  groupFiles(fileIds: string[], pageId: string, maxTotalBytes: number, nowMs: number): Promise<Grouping>;
  listPage(pageId: string, caller: MetadataCaller): Promise<LiveFile[]>;
  findFile(id: string, caller: MetadataCaller): Promise<LiveFile | undefined>;
}

/** Who may download what, and how often. */
export interface GrantRecords {
  /** Takes one download from the file's limit, or finds the grant that this client still holds. */
  takeGrant(id: string, caller: MetadataCaller, grantExpiresAtMs: number): Promise<GrantTaking>;
  /** Ends this client's grant, where there is one. */
  endGrant(id: string, caller: MetadataCaller): Promise<void>;
}

/** The end of files: doomed first, so that they are gone for every call; forgotten when their bytes are gone too. */
export interface DoomRecords {
  /** Dooms a live file: from here on it does not exist for any call. */
  doomFile(id: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms a file whose limit is reached, where no grant on it is live. */
  doomIfUsedUp(id: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms an upload that is not complete. */
  doomUpload(fileKey: string, uploadId: string, nowMs: number): Promise<DoomedFile | undefined>;
  /** Dooms up to `limit` files that have expired, were abandoned, or are used up with their last grant run out. */
  doomOverdue(nowMs: number, limit: number): Promise<number>;
  /** Forgets up to `limit` grants that have run out. */
  forgetGrants(nowMs: number, limit: number): Promise<void>;
  /** Takes up to `limit` doomed files, those first that wait longest. Until the lease ends nobody else gets them. */
  claimDoomed(nowMs: number, leaseMs: number, limit: number): Promise<DoomedFile[]>;
  /** Which of these keys no row knows, whatever its state. */
  unknownKeys(fileKeys: string[]): Promise<string[]>;
  /** Live files in the order of their keys after `afterKey`. */
  listLiveKeys(afterKey: string, limit: number): Promise<{ id: string; fileKey: string }[]>;
  /** Forgets a doomed file and gives back what it reserved. Call it when its bytes are gone. */
  forget(id: string): Promise<void>;
}

export interface Tally {
  storedBytes: number;
  /** Files that can be downloaded, and those that expired since the last sweep. */
  liveFiles: number;
  openUploads: number;
  doomedFiles: number;
}

/** What an operator asks of the database itself. */
export interface OperatorRecords {
  /** Throws where the database does not answer. */
  ping(): Promise<void>;
  /** What is stored. It costs the same however many files are live, so that it can be asked every few seconds. */
  tally(): Promise<Tally>;
  /** How many grants are live. Its cost grows with their number: for people, not for machines that ask all day. */
  countGrants(nowMs: number): Promise<number>;
  /** What is broken inside of the database, in its own words. Reads all of it. */
  findDamage(): Promise<string[]>;
  /** Throws where the database takes no writes. Leaves nothing behind. */
  tryWriting(): Promise<void>;
}

/** A mail to the operator, ready to be sent. */
export interface NewMessage {
  id: string;
  subject: string;
  text: string;
  /** The address of who wrote it, where there is one. */
  replyTo: string | undefined;
  createdAtMs: number;
}

export interface OutboxMessage extends NewMessage {
  /** How often it was claimed. */
  attempts: number;
}

/** What the operator is to be told: kept until it is sent, or until the operator has read it here. */
export interface OutboxRecords {
  /** Keeps a message that is due at once. */
  addMessage(message: NewMessage): Promise<void>;
  /** Takes up to `limit` messages that are due. Until the lease ends, or they are postponed, nobody else gets them. */
  claimMessages(nowMs: number, leaseMs: number, limit: number): Promise<OutboxMessage[]>;
  /** Sets when a claimed message is next due. Changes nothing once somebody else has claimed it. */
  postponeMessage(claimed: Pick<OutboxMessage, 'id' | 'attempts'>, dueAtMs: number): Promise<void>;
  removeMessage(id: string): Promise<void>;
  /** The oldest messages, whether due or not. */
  listMessages(limit: number): Promise<OutboxMessage[]>;
}

export interface Report {
  id: string;
  pageId: string;
  reason: string;
  createdAtMs: number;
}

/** What people reported, kept until the operator has handled it. */
export interface ReportRecords {
  /** Keeps the report, and with it the notice, or answers false where the page is not there at that time. */
  addReport(report: Report, notice: NewMessage | undefined): Promise<boolean>;
  /** The oldest reports. */
  listReports(limit: number): Promise<Report[]>;
  removeReport(id: string): Promise<void>;
}

/** What servers agree on that share a database. */
export interface SharedRecords {
  /** What tells this database from every other. */
  instanceId(): Promise<string>;
  /** Takes a job until the lease ends, and answers how far it has come: empty at first, undefined where somebody else has it. */
  claimJob(name: string, nowMs: number, leaseMs: number): Promise<string | undefined>;
  saveProgress(name: string, progress: string): Promise<void>;
  /** Counts one more within a window that begins with the first, and answers how many there are and when the window ends. */
  countHit(key: string, nowMs: number, windowMs: number): Promise<{ hits: number; endsAtMs: number }>;
  /** Forgets up to `limit` windows that have ended, and answers how many. */
  forgetHits(nowMs: number, limit: number): Promise<number>;
}

export interface MetadataStore
  extends UploadRecords,
    FileRecords,
    GrantRecords,
    DoomRecords,
    OutboxRecords,
    ReportRecords,
    SharedRecords,
    OperatorRecords {
  close(): Promise<void>;
}
