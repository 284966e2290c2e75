// A metadata store for contract tests, with helpers that insert uploads and files.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { MetadataStore, NewUpload, ReservationLimits } from '../ports/metadata-store.ts';

export const NOW = 1_800_000_000_000;
export const DAY = 86_400_000;
export const newId = () => randomBytes(16).toString('base64url');
export const caller = (clientHash: string, nowMs = NOW) => ({ clientHash, nowMs });

export const NO_LIMITS: ReservationLimits = {
  storedBytes: Number.MAX_SAFE_INTEGER,
  unsentBytes: Number.MAX_SAFE_INTEGER,
  unsentBytesOfAddress: Number.MAX_SAFE_INTEGER,
  shareOfRest: 1,
  shareOfAddress: 1,
  dailyBytesOfAddress: Number.MAX_SAFE_INTEGER,
};

export function newUpload(change: Partial<NewUpload> = {}): NewUpload {
  return {
    id: newId(),
    fileKey: newId(),
    uploadId: newId(),
    fileName: 'サンプル "a"\n😀.txt',
    fileSize: 1000,
    storedSize: 1056,
    contentType: 'text/plain',
    chunkSize: 500,
    isEncrypted: true,
    maxDownloads: 5,
    retentionDays: 2,
    openedAtMs: NOW,
    expiresAtMs: NOW + DAY,
    addressHash: 'address',
    day: '2027-01-15',
    ...change,
  };
}

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

  async function aFile(change: Partial<NewUpload> = {}, expiresAtMs = NOW + 2 * DAY) {
    const upload = await anUpload(change);
    const pageId = newId();
    await store.completeUpload(upload.fileKey, { pageId, salt: 's', keyCheck: 'k', createdAtMs: NOW, expiresAtMs });
    return { ...upload, pageId };
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
