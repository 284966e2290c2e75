// What an upload writes down as it goes, so that it can go on after its page is gone.
import type { Answer, Body } from '@furoshiki/core';

export type CompletedFile = Pick<Answer<'completeUpload'>, 'downloadId' | 'pageID'>;

/** The file that is under way: what the server calls it, what its chunks are bound to, and the parts that arrived. */
export interface OpenNote {
  name: Body<'cancelUpload'>;
  chunkSize: number;
  /** Both undefined where the file is not encrypted. */
  salt?: string | undefined;
  keyCheck?: string | undefined;
  /** ETags by index. */
  etags: readonly (readonly [number, string])[];
}

/** The files before the open one are complete, those after it untouched. */
export interface UploadNote {
  completed: readonly CompletedFile[];
  open?: OpenNote | undefined;
}

/** Kept by the platform. It writes in its own time and never fails: at worst the upload cannot be resumed. */
export interface UploadJournal {
  write(note: UploadNote): void;
  /** Whether another page could go on from here. */
  isKept(): boolean;
  remove(): void;
}
