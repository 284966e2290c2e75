// What an upload writes down as it goes, so that it can go on after its page is gone.
import type { ApiBody } from '@furoshiki/core';

export interface CompletedFile {
  downloadId: string;
  pageId: string;
}

/** The file that is under way: what the server calls it, what its chunks are bound to, and the parts that arrived. */
export interface OpenFileCheckpoint {
  uploadRef: ApiBody<'cancelUpload'>;
  chunkSize: number;
  /** Both undefined where the file is not encrypted. */
  salt?: string | undefined;
  keyCheck?: string | undefined;
  /** ETags by index. */
  etags: readonly (readonly [number, string])[];
}

/** The files before the open one are complete, those after it untouched. */
export interface UploadCheckpoint {
  completed: readonly CompletedFile[];
  open?: OpenFileCheckpoint | undefined;
}

/** Kept by the platform. It writes in its own time and never fails: at worst the upload cannot be resumed. */
export interface ResumeRecord {
  write(checkpoint: UploadCheckpoint): void;
  /** Whether another page could go on from here. */
  isKept(): boolean;
  remove(): void;
}
