// The tables, as Kysely sees them. Times are epoch milliseconds, booleans are 0 and 1.
import type { Generated } from 'kysely';

export interface FilesTable {
  id: string;
  file_key: string;
  upload_id: string;
  /** doomed: gone for every call, the bytes still to be removed. */
  state: 'uploading' | 'live' | 'doomed';
  file_name: string;
  file_size: number;
  /** What it takes in the store: file_size, and what sealing adds. */
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
  /** While uploading: when it counts as abandoned. Once live: when it is gone. Doomed: when a sweep may take it up. */
  expires_at_ms: number;
  page_id: string | null;
  position: number;
  /** 1 once the file's page is closed: it cannot be moved to another. */
  is_grouped: number;
}

export interface GrantsTable {
  file_id: string;
  client_hash: string;
  expires_at_ms: number;
}

/** One row: what all files together take, reserved when an upload is opened and given back when its row is forgotten. */
export interface UsageTable {
  id: 1;
  stored_bytes: number;
  /** How many rows `files` has, whatever their state. */
  files: Generated<number>;
}

/** What an address has uploaded in a day. The hash is of that day alone. */
export interface VolumesTable {
  address_hash: string;
  day: string;
  bytes: number;
}

/** Mail to the operator that is not yet sent. */
export interface OutboxTable {
  id: string;
  subject: string;
  text: string;
  reply_to: string | null;
  created_at_ms: number;
  /** When it is next tried; while a server is at it, when its lease ends. */
  due_at_ms: number;
  attempts: number;
}

export interface ReportsTable {
  id: string;
  page_id: string;
  reason: string;
  created_at_ms: number;
}

/** One row: what tells this database from every other. */
export interface InstanceTable {
  id: string;
}

/** Work that one server at a time does for all. */
export interface JobsTable {
  name: string;
  lease_ends_at_ms: number;
  /** How far it has come, in the job's own words. */
  progress: string;
}

/** How often a client address has asked for something within its hour. The key is a hash. */
export interface RatesTable {
  key: string;
  hits: number;
  ends_at_ms: number;
}

export interface Tables {
  files: FilesTable;
  grants: GrantsTable;
  usage: UsageTable;
  volumes: VolumesTable;
  outbox: OutboxTable;
  reports: ReportsTable;
  instance: InstanceTable;
  jobs: JobsTable;
  rates: RatesTable;
}
