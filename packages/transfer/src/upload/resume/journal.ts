// The checkpoints of an upload, and the journal that keeps the latest one, from which a later tab or command can resume it. See
// ADR 10.
import type { UploadRef } from '@furoshiki/api';
import type { Clock } from '../../ports.ts';
import type { ResumeSecrets } from './record-encryption.ts';

/** Often enough that the server keeps the resume secret of a running upload. */
const RENEWED_EVERY_MS = 3_600_000;

export interface CompletedFile {
  /** Its position among the files of the upload. */
  fileIndex: number;
  downloadId: string;
  pageId: string;
  /** Undefined if the file is not encrypted. */
  salt?: string | undefined;
}

/** A file in progress: its upload on the server, what its chunks are bound to, and the parts that arrived. */
export interface OpenFileCheckpoint {
  fileIndex: number;
  uploadRef: UploadRef;
  chunkSize: number;
  /** Both undefined if the file is not encrypted. */
  salt?: string | undefined;
  details?: string | undefined;
  /** ETags by index. */
  etags: readonly (readonly [number, string])[];
}

/** The files that are in neither list are untouched. */
export interface UploadCheckpoint {
  /** Undefined if the files are not encrypted. */
  pageSalt?: string | undefined;
  completed: readonly CompletedFile[];
  open: readonly OpenFileCheckpoint[];
}

/** Writes in the background and never throws: at worst the upload cannot be resumed. */
export interface ResumeRecord {
  write(checkpoint: UploadCheckpoint): void;
  /** Whether a checkpoint is stored from which another tab can resume. */
  isStored(): boolean;
  remove(): void;
}

/** A journal that this tab or process may write: it holds the lock, and has both halves of the key. */
export interface OpenJournal {
  /** Also that of the resume secret. */
  id: string;
  release: (() => void) | undefined;
}

/** What a platform implements. Each function may reject: then the upload still runs, and cannot be resumed. */
export interface JournalStorage<Opened extends OpenJournal> {
  /** Replaces the stored checkpoint completely or not at all. */
  put(opened: Opened, checkpoint: UploadCheckpoint): Promise<void>;
  delete(opened: Opened): Promise<void>;
}

export interface Journal extends ResumeRecord {
  /** Resolves when the last checkpoint is stored. Then another one may continue the upload. */
  flush(): Promise<void>;
}

export interface JournalSettings {
  /** Whether an earlier tab or process has stored a checkpoint. */
  wasStored: boolean;
  /** After each write. A checkpoint of a thousand files takes longer to encrypt than one of its files takes to send. */
  pauseMs(written: UploadCheckpoint): number;
}

/** Writes one checkpoint at a time, then pauses. If several arrive until then, only the last of them is written. */
export function createJournal<Opened extends OpenJournal>(
  { clock, secrets }: { clock: Pick<Clock, 'sleep'>; secrets: ResumeSecrets },
  opening: Promise<Opened>,
  storage: JournalStorage<Opened>,
  { wasStored, pauseMs }: JournalSettings,
): Journal {
  const removed = new AbortController();
  let latest: UploadCheckpoint | undefined;
  let writing: Promise<void> | undefined;
  let isStored = wasStored;
  let renewedAtMs = Date.now();

  async function writeLatest(): Promise<void> {
    while (latest !== undefined) {
      const checkpoint = latest;
      latest = undefined;
      const opened = await opening;
      await storage.put(opened, checkpoint);
      isStored = true;
      if (Date.now() - renewedAtMs >= RENEWED_EVERY_MS) {
        renewedAtMs = Date.now();
        secrets.read(opened.id).catch(() => undefined);
      }
      const restMs = pauseMs(checkpoint);
      if (restMs > 0) await clock.sleep(restMs, removed.signal);
    }
  }

  async function end(): Promise<void> {
    const opened = await opening;
    // First: the bytes of a deleted record stay on disk for a while, and only without this secret they are worthless.
    void secrets.drop(opened.id);
    // A write that has begun must not bring it back.
    await writing;
    await storage.delete(opened).finally(opened.release);
  }

  return {
    isStored: () => isStored && !removed.signal.aborted,
    write(checkpoint) {
      if (removed.signal.aborted) return;
      latest = checkpoint;
      // Without a place to store it, or without a resume secret, the upload still runs. It cannot be resumed.
      writing ??= writeLatest()
        .catch(() => undefined)
        .finally(() => void (writing = undefined));
    },
    remove() {
      removed.abort();
      latest = undefined;
      end().catch(() => undefined);
    },
    async flush() {
      await writing;
      if (!removed.signal.aborted) (await opening).release?.();
    },
  };
}
