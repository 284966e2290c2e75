// The checkpoints of an upload, from which a later tab can resume it.
import type { UploadRef } from '@furoshiki/core';

export interface CompletedFile {
  downloadId: string;
  pageId: string;
}

/** The file in progress: its upload on the server, what its chunks are bound to, and the parts that arrived. */
export interface OpenFileCheckpoint {
  uploadRef: UploadRef;
  chunkSize: number;
  /** Both undefined if the file is not encrypted. */
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

/** Provided by the platform. Writes in the background and never throws: at worst the upload cannot be resumed. */
export interface ResumeRecord {
  write(checkpoint: UploadCheckpoint): void;
  /** Whether a checkpoint is stored from which another tab can resume. */
  isStored(): boolean;
  remove(): void;
}
