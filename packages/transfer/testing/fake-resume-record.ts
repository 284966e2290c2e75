// A resume record in memory.
import type { ResumeRecord, UploadCheckpoint } from '../src/upload/checkpoint.ts';

export interface FakeResumeRecord extends ResumeRecord {
  read(): UploadCheckpoint;
}

export function createFakeResumeRecord(): FakeResumeRecord {
  let kept: string | undefined;
  return {
    write: (checkpoint) => void (kept = JSON.stringify(checkpoint)),
    isKept: () => kept !== undefined,
    remove: () => void (kept = undefined),
    read: () => (kept === undefined ? { completed: [] } : (JSON.parse(kept) as UploadCheckpoint)),
  };
}
