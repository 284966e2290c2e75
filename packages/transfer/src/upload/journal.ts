// What an upload writes down as it goes, so that it can go on after its page is gone.
import type { ApiResponse, ApiBody } from '@furoshiki/core';

export type CompletedFile = Pick<ApiResponse<'completeUpload'>, 'downloadId' | 'pageID'>;

/** The file that is under way: what the server calls it, what its chunks are bound to, and the parts that arrived. */
export interface OpenFileCheckpoint {
  name: ApiBody<'cancelUpload'>;
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
  write(note: UploadCheckpoint): void;
  /** Whether another page could go on from here. */
  isKept(): boolean;
  remove(): void;
}
