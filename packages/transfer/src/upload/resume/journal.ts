// The checkpoints of an upload, from which a later tab can resume it.
import type { UploadRef } from '@furoshiki/api';

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

/** Provided by the platform. Writes in the background and never throws: at worst the upload cannot be resumed. */
export interface ResumeRecord {
  write(checkpoint: UploadCheckpoint): void;
  /** Whether a checkpoint is stored from which another tab can resume. */
  isStored(): boolean;
  remove(): void;
}
