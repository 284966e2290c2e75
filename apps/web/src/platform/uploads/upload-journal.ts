// Journals of uploads, sealed, so that a later page can find what was interrupted and go on. ADR 0010 says why so.
import type { ResumeRecord, UploadCheckpoint } from '@furoshiki/transfer';
import type { InterruptedUpload, ClaimedUpload, UploadOptions, ResumeRecords } from '../../services.ts';
import { type FileMark, marksOf, recognise } from './file-fingerprint.ts';
import type { UploadRecord, UploadRecords } from './upload-records.ts';

/** As long as the server keeps an upload that nobody goes on with. */
const KEPT_MS = 24 * 3_600_000;
const GCM = 'AES-GCM';

interface Content extends UploadOptions {
  marks: readonly FileMark[];
  note: UploadCheckpoint;
}

interface JournalParts {
  id: string;
  key: CryptoKey | Promise<CryptoKey>;
  content: Omit<Content, 'note'> | Promise<Omit<Content, 'note'>>;
  lock: LetGo | undefined | Promise<LetGo | undefined>;
  /** Whether there is a record already. */
  isWritten: boolean;
}

type LetGo = () => void;

/** Tells whether the tab of an upload still lives: its lock goes with it. */
export interface TabLocks {
  /** Answers the function that lets go, or undefined where another tab holds it. */
  take(name: string): Promise<LetGo | undefined>;
}

export function createUploadJournals(records: UploadRecords, locks: TabLocks): ResumeRecords {
  const lockOf = (id: string) => `furoshiki.upload.${id}`;

  /** Writes one thing at a time, and of what piled up meanwhile only the last. */
  function journalOf({ id, key, content, lock, isWritten }: JournalParts): ResumeRecord {
    let latest: UploadCheckpoint | undefined;
    let writing: Promise<void> | undefined;
    let isKept = isWritten;
    let isRemoved = false;

    async function writeLatest(): Promise<void> {
      while (latest !== undefined) {
        const note = latest;
        latest = undefined;
        await records.put(await seal(id, await key, { ...(await content), note }));
        isKept = true;
      }
    }

    async function remove(): Promise<void> {
      await writing;
      await records.delete(id);
      (await lock)?.();
    }

    return {
      isKept: () => isKept && !isRemoved,
      write(note) {
        if (isRemoved) return;
        latest = note;
        // A browser without room or without IndexedDB: the upload goes on, only not after a reload.
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

  /** Read again under the lock: since it was found, another tab may have gone on with it, or brought it to its end. */
  async function takeOver({ id, key }: UploadRecord): Promise<ClaimedUpload | undefined> {
    const letGo = await locks.take(lockOf(id));
    if (letGo === undefined) return undefined;
    const left = await records.all().catch(() => []);
    const record = left.find((other) => other.id === id);
    const content = record && (await open(record));
    if (content === undefined) {
      letGo();
      return undefined;
    }
    return { checkpoint: content.note, resumeRecord: journalOf({ id, key, content, lock: letGo, isWritten: true }) };
  }

  async function readInterrupted(record: UploadRecord): Promise<InterruptedUpload | undefined> {
    const { id } = record;
    const letGo = await locks.take(lockOf(id));
    if (letGo === undefined) return undefined;
    letGo();
    const content = record.savedAtMs > Date.now() - KEPT_MS ? await open(record) : undefined;
    if (content === undefined) {
      await records.delete(id);
      return undefined;
    }
    const { marks, note, ...options } = content;
    return {
      ...options,
      checkpoint: note,
      files: marks,
      matchFiles: (given) => recognise(marks, note.completed.length, given),
      claim: () => takeOver(record),
      async discard() {
        const taken = await takeOver(record);
        taken?.resumeRecord.remove();
        return taken?.checkpoint;
      },
    };
  }

  return {
    begin(facts, files) {
      const id = crypto.randomUUID();
      const key = crypto.subtle.generateKey({ name: GCM, length: 256 }, false, ['encrypt', 'decrypt']);
      const content = marksOf(files).then((marks) => ({ ...facts, marks }));
      // Whatever fails here is met when something is written.
      for (const early of [key, content]) early.catch(() => undefined);
      return journalOf({ id, key, content, lock: locks.take(lockOf(id)), isWritten: false });
    },
    async findInterrupted() {
      const latestFirst = (await records.all()).toSorted((a, b) => b.savedAtMs - a.savedAtMs);
      const found = await Promise.all(latestFirst.map(readInterrupted));
      return found.filter((upload) => upload !== undefined);
    },
  };
}

async function seal(id: string, key: CryptoKey, content: Content): Promise<UploadRecord> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  const sealed = await crypto.subtle.encrypt({ name: GCM, iv }, key, bytes);
  return { id, key, iv, sealed, savedAtMs: Date.now() };
}

/** Undefined where the record is damaged. */
async function open({ key, iv, sealed }: UploadRecord): Promise<Content | undefined> {
  try {
    const bytes = await crypto.subtle.decrypt({ name: GCM, iv }, key, sealed);
    return JSON.parse(new TextDecoder().decode(bytes)) as Content;
  } catch {
    return undefined;
  }
}
