// Encrypted resume records, so that a later tab can find an interrupted upload and continue it. See ADR 10.
import type { CipherKey } from '@furoshiki/format';
import {
  type Clock,
  createJournal,
  type OpenJournal,
  type ResumeRecord,
  type ResumeSecrets,
  type UploadCheckpoint,
} from '@furoshiki/transfer';
import type { ClaimedUpload, InterruptedUpload, ResumeRecords, UploadOptions } from '../../services.ts';
import type { Release } from '../storage/tab-lock.ts';
import { type FileFingerprint, fingerprintsOf, matchFiles } from './file-fingerprint.ts';
import { decryptContent, deriveRecordKey, encryptContent, newLocalSecret } from './record-encryption.ts';
import type { ResumeDatabase, StoredResumeRecord } from './resume-database.ts';

/** As long as the server keeps an upload that nothing is added to. */
const KEPT_MS = 24 * 3_600_000;
const MAX_RECORDS = 10;
const PAUSE_MS = 500;

/** What is the same in every version of one record. */
interface FixedContent extends UploadOptions {
  fingerprints: readonly FileFingerprint[];
}

interface RecordContent extends FixedContent {
  checkpoint: UploadCheckpoint;
}

interface OpenRecord extends OpenJournal, Pick<StoredResumeRecord, 'localSecret'> {
  key: CipherKey;
}

/** A tab holds the lock of its upload while it lives. Returns undefined if another tab holds it. */
type AcquireLock = (name: string) => Promise<Release | undefined>;

interface StoredResumeRecords extends ResumeRecords {
  /** Call it at every start: nothing else removes the records of uploads that are never resumed. */
  removeStale(): Promise<void>;
}

export function createResumeRecords(
  database: ResumeDatabase,
  ports: { clock: Clock; secrets: ResumeSecrets },
  acquireLock: AcquireLock,
): StoredResumeRecords {
  const { secrets } = ports;
  const lock = (id: string) => acquireLock(`furoshiki.upload.${id}`);
  const latestFirst = async () => (await database.all()).toSorted((a, b) => b.savedAtMs - a.savedAtMs);

  async function open(): Promise<OpenRecord> {
    const [{ id, secret }, localSecret] = await Promise.all([secrets.create(), newLocalSecret()]);
    return { id, localSecret, key: await deriveRecordKey(localSecret, secret), release: await lock(id) };
  }

  async function removeUnlessOpen(id: string): Promise<void> {
    const release = await lock(id);
    if (!release) return;
    void secrets.drop(id);
    await database.delete(id).finally(release);
  }

  function recordOf(
    opening: Promise<OpenRecord>,
    content: FixedContent | Promise<FixedContent>,
    wasStored: boolean,
  ): ResumeRecord {
    const storage = {
      async put({ id, localSecret, key }: OpenRecord, checkpoint: UploadCheckpoint) {
        const encrypted = await encryptContent(key, { ...(await content), checkpoint } satisfies RecordContent);
        await database.put({ id, localSecret, ...encrypted, savedAtMs: Date.now() });
      },
      delete: ({ id }: OpenRecord) => database.delete(id),
    };
    return createJournal(ports, opening, storage, { wasStored, pauseMs: () => PAUSE_MS });
  }

  /** Reads the record again under the lock: another tab may have continued or finished the upload since it was found. */
  async function claim(id: string, key: CipherKey): Promise<ClaimedUpload | undefined> {
    const release = await lock(id);
    if (release === undefined) return undefined;
    const stored = await database.all().catch(() => []);
    const record = stored.find((other) => other.id === id);
    const content = record && (await decryptContent<RecordContent>(key, record));
    if (record === undefined || content === undefined) {
      release();
      return undefined;
    }
    const opened = Promise.resolve({ id, localSecret: record.localSecret, key, release });
    return { checkpoint: content.checkpoint, resumeRecord: recordOf(opened, content, true) };
  }

  /** Throws if the server does not say whether it has the resume secret: then a later visit asks again. */
  async function readInterrupted(
    record: StoredResumeRecord,
    signal: AbortSignal,
  ): Promise<InterruptedUpload | undefined> {
    const { id } = record;
    const release = await lock(id);
    if (release === undefined) return undefined;
    release();
    const secret = await secrets.read(id, signal);
    const key = secret === undefined ? undefined : await deriveRecordKey(record.localSecret, secret);
    const content = key && (await decryptContent<RecordContent>(key, record));
    if (key === undefined || content === undefined || isOfFormat1(content)) {
      await removeUnlessOpen(id);
      return undefined;
    }
    const { fingerprints, ...rest } = content;
    return {
      ...rest,
      files: fingerprints,
      matchFiles: (given) => matchFiles(fingerprints, completedIn(content.checkpoint), given),
      claim: () => claim(id, key),
      async discard() {
        const claimed = await claim(id, key);
        claimed?.resumeRecord.remove();
        return claimed?.checkpoint;
      },
    };
  }

  async function removeStale(): Promise<void> {
    for (const [index, { id, savedAtMs }] of (await latestFirst()).entries())
      if (index >= MAX_RECORDS || savedAtMs <= Date.now() - KEPT_MS) await removeUnlessOpen(id);
  }

  return {
    removeStale,
    begin(options, files) {
      const opened = open();
      const content = fingerprintsOf(files).then((fingerprints) => ({ ...options, fingerprints }));
      // An error here is handled by the first write, which awaits both.
      for (const early of [opened, content]) early.catch(() => undefined);
      return recordOf(opened, content, false);
    },
    async findInterrupted(signal) {
      await removeStale();
      const reading = (await latestFirst()).map((record) => readInterrupted(record, signal).catch(() => undefined));
      return (await Promise.all(reading)).filter((upload) => upload !== undefined);
    },
  };
}

function completedIn({ completed }: UploadCheckpoint): ReadonlySet<number> {
  return new Set(completed.map(({ fileIndex }) => fileIndex));
}

/** An earlier version has begun it. This version cannot continue it, because it seals only format 2. */
function isOfFormat1({ keyText, checkpoint: { pageSalt, completed, open } }: RecordContent): boolean {
  return keyText !== '' && pageSalt === undefined && completed.length + open.length > 0;
}
