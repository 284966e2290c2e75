// Encrypted resume records, so that a later tab can find an interrupted upload and continue it. See ADR 10.
import type { OpenFileCheckpoint, ResumeRecord, UploadCheckpoint } from '@furoshiki/transfer';
import type { ClaimedUpload, InterruptedUpload, ResumeRecords, UploadOptions } from '../../services.ts';
import type { Release } from '../storage/tab-lock.ts';
import { type FileFingerprint, fingerprintsOf, matchFiles } from './file-fingerprint.ts';
import type { ResumeDatabase, StoredResumeRecord } from './resume-database.ts';

/** As long as the server keeps an upload that nothing is added to. */
const KEPT_MS = 24 * 3_600_000;
const GCM = 'AES-GCM';

/** What is the same in every version of one record. */
interface FixedContent extends UploadOptions {
  fingerprints: readonly FileFingerprint[];
}

interface RecordContent extends FixedContent {
  checkpoint: UploadCheckpoint;
}

interface RecordInput {
  id: string;
  key: CryptoKey | Promise<CryptoKey>;
  content: FixedContent | Promise<FixedContent>;
  lock: Release | undefined | Promise<Release | undefined>;
  /** Whether a tab has stored the record before. */
  wasStored: boolean;
}

/** A tab holds the lock of its upload while it lives. Returns undefined if another tab holds it. */
type AcquireLock = (name: string) => Promise<Release | undefined>;

export function createResumeRecords(database: ResumeDatabase, acquireLock: AcquireLock): ResumeRecords {
  const lockNameOf = (id: string) => `furoshiki.upload.${id}`;

  /** Writes one checkpoint at a time. If several arrive during a write, only the last of them is written. */
  function recordOf({ id, key, content, lock, wasStored }: RecordInput): ResumeRecord {
    let latest: UploadCheckpoint | undefined;
    let writing: Promise<void> | undefined;
    let isStored = wasStored;
    let isRemoved = false;

    async function writeLatest(): Promise<void> {
      while (latest !== undefined) {
        const checkpoint = latest;
        latest = undefined;
        await database.put(await encryptRecord(id, await key, { ...(await content), checkpoint }));
        isStored = true;
      }
    }

    async function remove(): Promise<void> {
      await writing;
      await database.delete(id);
      (await lock)?.();
    }

    return {
      isStored: () => isStored && !isRemoved,
      write(checkpoint) {
        if (isRemoved) return;
        latest = checkpoint;
        // If IndexedDB is missing or full, the upload still runs. It cannot be resumed after a reload.
        writing ??= writeLatest()
          .catch(() => undefined)
          .finally(() => void (writing = undefined));
      },
      remove() {
        isRemoved = true;
        latest = undefined;
        remove().catch(() => undefined);
      },
    };
  }

  /** Reads the record again under the lock: another tab may have continued or finished the upload since it was found. */
  async function claim({ id, key }: StoredResumeRecord): Promise<ClaimedUpload | undefined> {
    const release = await acquireLock(lockNameOf(id));
    if (release === undefined) return undefined;
    const stored = await database.all().catch(() => []);
    const record = stored.find((other) => other.id === id);
    const content = record && (await decryptRecord(record));
    if (content === undefined) {
      release();
      return undefined;
    }
    const resumeRecord = recordOf({ id, key, content, lock: release, wasStored: true });
    return { checkpoint: content.checkpoint, resumeRecord };
  }

  async function readInterrupted(record: StoredResumeRecord): Promise<InterruptedUpload | undefined> {
    const { id } = record;
    const release = await acquireLock(lockNameOf(id));
    if (release === undefined) return undefined;
    release();
    const content = record.savedAtMs > Date.now() - KEPT_MS ? await decryptRecord(record) : undefined;
    if (content === undefined) {
      await database.delete(id);
      return undefined;
    }
    const { fingerprints, ...rest } = content;
    return {
      ...rest,
      files: fingerprints,
      matchFiles: (given) => matchFiles(fingerprints, content.checkpoint.completed.length, given),
      claim: () => claim(record),
      async discard() {
        const claimed = await claim(record);
        claimed?.resumeRecord.remove();
        return claimed?.checkpoint;
      },
    };
  }

  return {
    begin(options, files) {
      const id = crypto.randomUUID();
      const key = crypto.subtle.generateKey({ name: GCM, length: 256 }, false, ['encrypt', 'decrypt']);
      const content = fingerprintsOf(files).then((fingerprints) => ({ ...options, fingerprints }));
      // An error here is handled by the first write, which awaits both.
      for (const early of [key, content]) early.catch(() => undefined);
      return recordOf({ id, key, content, lock: acquireLock(lockNameOf(id)), wasStored: false });
    },
    async findInterrupted() {
      const latestFirst = (await database.all()).toSorted((a, b) => b.savedAtMs - a.savedAtMs);
      const found = await Promise.all(latestFirst.map(readInterrupted));
      return found.filter((upload) => upload !== undefined);
    },
  };
}

async function encryptRecord(id: string, key: CryptoKey, content: RecordContent): Promise<StoredResumeRecord> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  const encrypted = await crypto.subtle.encrypt({ name: GCM, iv }, key, bytes);
  return { id, key, iv, sealed: encrypted, savedAtMs: Date.now() };
}

/** Returns undefined if the record is damaged. */
async function decryptRecord({ key, iv, sealed: encrypted }: StoredResumeRecord): Promise<RecordContent | undefined> {
  try {
    const bytes = await crypto.subtle.decrypt({ name: GCM, iv }, key, encrypted);
    const content = JSON.parse(new TextDecoder().decode(bytes)) as RecordContent | Version01Content;
    return 'checkpoint' in content ? content : fromVersion01(content);
  } catch {
    return undefined;
  }
}

/** What version 0.1 wrote: the same facts under other names. */
interface Version01Content extends UploadOptions {
  marks: readonly FileFingerprint[];
  note: {
    completed: readonly { downloadId: string; pageID: string }[];
    open?: Omit<OpenFileCheckpoint, 'uploadRef'> & { name: OpenFileCheckpoint['uploadRef'] };
  };
}

/** An upload that was interrupted before an upgrade can still be resumed after it. */
function fromVersion01({ marks: fingerprints, note, ...options }: Version01Content): RecordContent {
  const completed = note.completed.map(({ downloadId, pageID }) => ({ downloadId, pageId: pageID }));
  if (!note.open) return { ...options, fingerprints, checkpoint: { completed } };
  const { name: uploadRef, ...rest } = note.open;
  return { ...options, fingerprints, checkpoint: { completed, open: { uploadRef, ...rest } } };
}
