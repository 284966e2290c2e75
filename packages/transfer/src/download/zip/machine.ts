// The states of a ZIP download and the allowed transitions between them. Pure.
import type { Failure } from '@furoshiki/api';

export interface ArchivedFile {
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
