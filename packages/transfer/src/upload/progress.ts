// What an upload's progress bars show. Derived from the state, never stored. Apart from the machine, because a page needs it only
// when an upload runs.
import { plainRange, sealedRange } from '@furoshiki/format';
import { transferWeight } from '../speed.ts';
import { type FileProgress, isUploadRunning, type PartState, type UploadState } from './machine.ts';

export interface UploadProgress {
  fileName: string;
  /** 0 to 100, of the current file. */
  filePercent: number;
  /** 0 to 100, of all files, weighted by their bytes and their number. Of one file, the share of its bytes, as shown beside it. */
  overallPercent: number;
  /** Plaintext bytes of all files. */
  loadedBytes: number;
  /** Those of them that an earlier tab has sent. */
  arrivedBytes: number;
  totalBytes: number;
  /** Both counted from 1. */
  currentPart: number;
  currentFile: number;
  totalParts: number;
  totalFiles: number;
}

/** Undefined if nothing runs. */
export function uploadProgress(state: UploadState): UploadProgress | undefined {
  if (!isUploadRunning(state)) return undefined;
  const { files, fileIndex, plan, parts, ahead, bytesBefore, totalBytes, arrivedBytes } = state;
  const current = shareOf(state);
  const begun = [current, ...[...ahead.values()].map(shareOf)];
  const loadedBytes = bytesBefore + sum(begun.map((file) => file.loadedBytes));
  const loadedFiles = fileIndex + sum(begun.map((file) => file.loadedShare));
  return {
    fileName: files[fileIndex]?.name ?? '',
    filePercent: 100 * current.done,
    overallPercent: (100 * transferWeight(loadedBytes, loadedFiles)) / transferWeight(totalBytes, files.length),
    loadedBytes,
    arrivedBytes,
    totalBytes,
    currentPart: Math.min(current.partsDone + 1, plan.count),
    currentFile: fileIndex + 1,
    totalParts: parts.length,
    totalFiles: files.length,
  };
}

/** How much of a file is done, from 0 to 1, and which of its bytes and parts. */
function shareOf(file: Pick<FileProgress, 'plan' | 'parts'>) {
  const { plan, parts } = file;
  let [weightedBytes, loadedBytes, partsDone] = [0, 0, 0];
  for (const [index, part] of parts.entries()) {
    const bytes = plainRange(plan, index).length;
    weightedBytes += (bytes * partPercent(part, sealedRange(plan, index).length)) / 100;
    loadedBytes += loadedBytesOf(part, bytes);
    if (part.step === 'reported') partsDone += 1;
  }
  const share = (bytes: number) => (plan.fileSize === 0 ? 0 : bytes / plan.fileSize);
  return { done: share(weightedBytes), loadedShare: share(loadedBytes), loadedBytes, partsDone };
}

/** 25 when the URL is there, up to 75 while sending, 80 when sent, 100 when the part notice has a response. */
export function partPercent(part: PartState, sealedBytes: number): number {
  switch (part.step) {
    case 'waiting':
      return 0;
    case 'sending':
      return 25 + 50 * Math.min(part.sentBytes / sealedBytes, 1);
    case 'sent':
      return 80;
    case 'reported':
      return 100;
    default:
      return part satisfies never;
  }
}

function loadedBytesOf(part: PartState, bytes: number): number {
  if (part.step === 'waiting') return 0;
  // Sent bytes include the IV and the tag, which are not part of the file.
  return part.step === 'sending' ? Math.min(part.sentBytes, bytes) : bytes;
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
