// The tables, as Kysely sees them. Times are epoch milliseconds, booleans are 0 and 1.
import type { Generated } from 'kysely';

export interface FilesTable {
  id: string;
  file_key: string;
  upload_id: string;
  /** doomed: gone for every call, but its bytes are still to be removed. */
  state: 'uploading' | 'live' | 'doomed';
  file_name: string;
  file_size: number;
  /** Bytes in the object store: file_size plus the overhead of encryption. */
  stored_size: number;
  content_type: string;
  chunk_size: number;
  is_encrypted: number;
  salt: string | null;
  key_check: string | null;
  max_downloads: number;
  current_downloads: number;
  retention_days: 1 | 2 | 3;
  created_at_ms: number | null;
  /** uploading: when it counts as abandoned. live: when it expires. doomed: when a sweep may claim it. */
  expires_at_ms: number;
  page_id: string | null;
  position: number;
  /** 1 once the file's page is closed: then the file cannot move to another page. */
  is_grouped: number;
  /** uploading: a keyed hash of the sender's address. Null once the upload is complete. */
  address_hash: string | null;
  /** uploading: the same of a larger network, if the address is in one. */
  network_hash: Generated<string | null>;
  /** uploading: bytes that were announced and have not arrived. */
  unsent_bytes: number;
  opened_at_ms: number;
  format: Generated<1 | 2>;
  /** These three only of format 2. */
  page_salt: string | null;
  access_check: string | null;
  details: string | null;
  /** live: a hash of the id and the sender's cookie. Null if an older version has completed the upload. */
  uploader_hash: Generated<string | null>;
  /** What the file takes besides its stored bytes, less what was released of its reservation. `usage` has the sum. */
  extra_bytes: Generated<number>;
  /** uploading: bytes whose reservation was released because no part came. */
  released_bytes: Generated<number>;
  /** uploading: when it was opened, or a new part of it was last counted. */
  active_at_ms: Generated<number>;
  /** Which row of `usage_parts` counts it. Null: `usage` itself. */
  usage_part: Generated<number | null>;
  /** The request for files that it was sent for. */
  request_id: Generated<string | null>;
}

/** Pages whose sender has sent a list of the files. The row is deleted together with the last file of the page. */
export interface PagesTable {
  page_id: string;
  list: string;
  /** As in `files`. */
  usage_part: Generated<number | null>;
  /** These four only of a delivery. */
  request_id: Generated<string | null>;
  page_salt: Generated<string | null>;
  /** The key of the page, sealed for the owner of the request. */
  sealed: Generated<string | null>;
  delivered_at_ms: Generated<number | null>;
}

/** Requests for files. The row is deleted when the request has ended and no file of it is left. */
export interface RequestsTable {
  id: string;
  salt: string;
  card: string;
  /** Hashes of the tokens of senders and owner. */
  sender_check: string;
  owner_check: string;
  retention_days: 1 | 2 | 3;
  /** From then on no upload is opened for it. */
  closes_at_ms: number;
  /** From then on it does not exist for any call. */
  ends_at_ms: number;
  /** What was delivered, also if it is deleted by now. */
  bytes: number;
  deliveries: number;
  /** As in `files`. */
  usage_part: Generated<number | null>;
}

export interface GrantsTable {
  file_id: string;
  client_hash: string;
  expires_at_ms: number;
}

/**
 * One row: the bytes of all files, reserved when an upload is opened and released when its row is deleted. Bytes that are lent to
 * `usage_parts` count here, used or not.
 */
export interface UsageTable {
  id: 1;
  stored_bytes: number;
  /** How many rows `files` has, whatever their state. */
  files: Generated<number>;
  /** The sum of open uploads. Triggers keep it, so that also an older version counts. */
  unsent_bytes: Generated<number>;
  /** The sum of all files and lists. Triggers keep it too. */
  extra_bytes: Generated<number>;
}

/**
 * What `usage` has lent, in several rows, so that uploads of different addresses do not wait for each other. Only PostgreSQL has
 * rows. The numbers of files and of unsent bytes are added to those of `usage`; each may be negative.
 */
export interface UsagePartsTable {
  id: number;
  /** How many bytes may still be taken without asking `usage`. */
  room_bytes: number;
  files: number;
  unsent_bytes: number;
}

/** As many as one migration has inserted. Addresses rarely share one, and reading all of them costs little. */
export const USAGE_PARTS = 32;

/** Bytes that an address has announced on a day. The hash of an address changes every day. */
export interface VolumesTable {
  address_hash: string;
  day: string;
  bytes: number;
  /** Of `bytes`, those in the database. */
  record_bytes: Generated<number>;
}

/** Mail to the operator that is not yet sent. */
export interface OutboxTable {
  id: string;
  subject: string;
  text: string;
  reply_to: string | null;
  created_at_ms: number;
  /** When it is sent next, or, while a server is sending it, when the lease ends. */
  due_at_ms: number;
  attempts: number;
}

export interface ReportsTable {
  id: string;
  page_id: string;
  reason: string;
  /** Missing in rows of an older version. */
  reply_to: string | null;
  created_at_ms: number;
}

/** One row: the id of this database. */
export interface InstanceTable {
  id: string;
  /** Until then, objects without a row are kept. */
  keeps_unknown_until_ms: Generated<number>;
}

/** Marks in time that the database has left in its object store. */
export interface EpochsTable {
  id: string;
  begun_at_ms: number;
}

/** Work that only one server does at a time. */
export interface JobsTable {
  name: string;
  lease_ends_at_ms: number;
  /** The saved state of the job, in the job's own format. */
  progress: string;
}

/** How many requests of one kind a client address has made within the hour. The key is a hash. */
export interface RatesTable {
  key: string;
  hits: number;
  ends_at_ms: number;
}

/** The server's halves of the keys to resume records in browsers. */
export interface ResumeSecretsTable {
  /** Of the id and of the cookie, so that a row shows neither. */
  id_hash: string;
  secret: string;
  address_hash: string;
  expires_at_ms: number;
  /** It cannot be renewed beyond this time. */
  ends_at_ms: number;
}

export interface Tables {
  files: FilesTable;
  pages: PagesTable;
  requests: RequestsTable;
  grants: GrantsTable;
  usage: UsageTable;
  usage_parts: UsagePartsTable;
  volumes: VolumesTable;
  outbox: OutboxTable;
  reports: ReportsTable;
  instance: InstanceTable;
  epochs: EpochsTable;
  jobs: JobsTable;
  rates: RatesTable;
  resume_secrets: ResumeSecretsTable;
}
