// A metadata store for contract tests, with helpers that insert uploads and files.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Completion, MetadataStore, NewUpload, PageLimits, RecordLimit } from '../../src/ports/metadata-store.ts';
import { NO_LIMITS } from '../no-limits.ts';

export const NOW = 1_800_000_000_000;
export const DAY = 86_400_000;
export const newId = () => randomBytes(16).toString('base64url');
export const caller = (clientHash: string, nowMs = NOW) => ({ clientHash, nowMs });

export function newUpload(change: Partial<NewUpload> = {}): NewUpload {
  return {
    id: newId(),
    fileKey: newId(),
    uploadId: newId(),
    fileName: 'サンプル "a"\n😀.txt',
    fileSize: 1000,
    storedSize: 1056,
    extraBytes: 0,
    recordBytes: 0,
    contentType: 'text/plain',
    chunkSize: 500,
    isEncrypted: true,
    maxDownloads: 5,
    retentionDays: 2,
    openedAtMs: NOW,
    expiresAtMs: NOW + DAY,
    requestId: undefined,
    addressHash: 'address',
    day: '2027-01-15',
    ...change,
  };
}

const RECORDS: RecordLimit = { addressHash: 'address', day: '2027-01-15', max: Number.MAX_SAFE_INTEGER };

export const PAGE_LIMITS: PageLimits = {
  totalBytes: 10_000,
  namesLength: 1000,
  detailsLength: 1000,
  storedBytes: Number.MAX_SAFE_INTEGER,
  records: RECORDS,
  isUploader: () => true,
};

/** Of format 1, until another format is given. */
export function newCompletion(change: Partial<Completion> = {}): Completion {
  return {
    pageId: newId(),
    uploaderHash: 'uploader',
    format: 1,
    salt: 's',
    keyCheck: 'k',
    pageSalt: undefined,
    accessCheck: undefined,
    details: undefined,
    unusedBytes: 0,
    records: RECORDS,
    createdAtMs: NOW,
    expiresAtMs: NOW + DAY,
    ...change,
  };
}

export const FORMAT_2 = { format: 2, pageSalt: 'p', accessCheck: 'a', details: 'd' } as const;

/** Opens an empty store. */
export type OpenStore = () => Promise<{ store: MetadataStore; discard(): Promise<void> }>;

export type MetadataFixture = ReturnType<typeof metadataFixture>;

/** Call it inside a describe block: it opens the store before the tests and discards it after them. */
export function metadataFixture(open: OpenStore) {
  let store: MetadataStore;
  let discard: () => Promise<void>;
  beforeAll(async () => ({ store, discard } = await open()));
  afterAll(() => discard());

  async function anUpload(change: Partial<NewUpload> = {}): Promise<NewUpload> {
    const upload = newUpload(change);
    expect(await store.insertUpload(upload, NO_LIMITS)).toBe('reserved');
    return upload;
  }

  async function aFile(change: Partial<NewUpload> = {}, completing: Partial<Completion> = {}) {
    const upload = await anUpload(change);
    const completion = newCompletion({ expiresAtMs: NOW + 2 * DAY, ...completing });
    await store.completeUpload(upload.fileKey, completion);
    return { ...upload, pageId: completion.pageId };
  }

  return {
    open,
    anUpload,
    aFile,
    get store() {
      return store;
    },
  };
}
