// What the progress bar of a ZIP download shows. Derived from the state, never stored. Apart from the machine, because not every
// page with a machine shows progress.
import { transferWeight } from '../../speed.ts';
import { type ArchiveState, isArchiveRunning } from './machine.ts';

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
