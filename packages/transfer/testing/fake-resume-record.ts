// A resume record in memory.
import type { ResumeRecord, UploadCheckpoint } from '../src/upload/resume/journal.ts';

export interface FakeResumeRecord extends ResumeRecord {
  read(): UploadCheckpoint;
}

export function createFakeResumeRecord(): FakeResumeRecord {
  let stored: string | undefined;
  return {
    write: (checkpoint) => void (stored = JSON.stringify(checkpoint)),
    isStored: () => stored !== undefined,
    remove: () => void (stored = undefined),
    read: () => (stored === undefined ? { completed: [], open: [] } : (JSON.parse(stored) as UploadCheckpoint)),
  };
}
