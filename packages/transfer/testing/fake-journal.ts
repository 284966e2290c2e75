// A journal in memory that forgets nothing but what it is told to.
import type { ResumeRecord, UploadCheckpoint } from '../src/upload/journal.ts';

export interface FakeJournal extends ResumeRecord {
  read(): UploadCheckpoint;
}

export function createFakeJournal(): FakeJournal {
  let kept: string | undefined;
  return {
    write: (note) => void (kept = JSON.stringify(note)),
    isKept: () => kept !== undefined,
    remove: () => void (kept = undefined),
    read: () => (kept === undefined ? { completed: [] } : (JSON.parse(kept) as UploadCheckpoint)),
  };
}
