// What the progress bar of a ZIP download shows. Derived from the state, never stored.
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
  return {
    fileName: files[fileIndex]?.fileName ?? '',
    currentFile: fileIndex + 1,
    totalFiles: files.length,
    percent: (loadedBytes / totalBytes) * 100,
    loadedBytes,
    totalBytes,
  };
}
