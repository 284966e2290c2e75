// The states of a ZIP download, the allowed transitions between them, and the progress that is derived from them, never
// stored. Pure.
import type { Failure } from '@furoshiki/api';
import { transferWeight } from '../../speed.ts';

interface ArchivedFile {
  fileName: string;
  fileSize: number;
}

interface RunningArchive {
  files: readonly ArchivedFile[];
  /** The file whose chunk was written last. */
  fileIndex: number;
  /** Plaintext bytes of all files. */
  loadedBytes: number;
}

export type ArchiveState =
  | { phase: 'idle' | 'complete' | 'cancelled' }
  /** `finishing`: everything is written. It is too late to cancel. */
  | ({ phase: 'running' | 'finishing' } & RunningArchive)
  | { phase: 'failed'; failure: Failure };

export type ArchiveAction =
  | { type: 'start'; files: readonly ArchivedFile[] }
  | { type: 'chunkWritten'; fileIndex: number; bytes: number }
  | { type: 'finish' }
  | { type: 'complete' }
  | { type: 'cancel' }
  | { type: 'fail'; failure: Failure };

export const IDLE_ARCHIVE: ArchiveState = { phase: 'idle' };

export function reduceArchive(state: ArchiveState, action: ArchiveAction): ArchiveState {
  switch (action.type) {
    case 'start':
      if (isArchiveRunning(state)) return state;
      return { phase: 'running', files: action.files, fileIndex: 0, loadedBytes: 0 };
    case 'chunkWritten':
      if (state.phase !== 'running') return state;
      return { ...state, fileIndex: action.fileIndex, loadedBytes: state.loadedBytes + action.bytes };
    case 'finish':
      return state.phase === 'running' ? { ...state, phase: 'finishing' } : state;
    case 'complete':
      return state.phase === 'finishing' ? { phase: 'complete' } : state;
    case 'cancel':
      return state.phase === 'running' ? { phase: 'cancelled' } : state;
    case 'fail':
      return isArchiveRunning(state) ? { phase: 'failed', failure: action.failure } : state;
    default:
      return action satisfies never;
  }
}

export function isArchiveRunning(state: ArchiveState): state is Extract<ArchiveState, RunningArchive> {
  return state.phase === 'running' || state.phase === 'finishing';
}

export interface ArchiveProgress {
  /** The file that is being fetched. */
  fileName: string;
  /** Counted from 1. */
  currentFile: number;
  totalFiles: number;
  /** 0 to 100. */
  percent: number;
  loadedBytes: number;
  totalBytes: number;
}

/** Undefined if nothing runs. */
export function archiveProgress(state: ArchiveState): ArchiveProgress | undefined {
  if (!isArchiveRunning(state)) return undefined;
  const { files, fileIndex, loadedBytes } = state;
  const totalBytes = files.reduce((total, file) => total + file.fileSize, 0);
  const filesDone = state.phase === 'finishing' ? files.length : fileIndex;
  return {
    fileName: files[fileIndex]?.fileName ?? '',
    currentFile: fileIndex + 1,
    totalFiles: files.length,
    percent: (100 * transferWeight(loadedBytes, filesDone)) / transferWeight(totalBytes, files.length),
    loadedBytes,
    totalBytes,
  };
}
