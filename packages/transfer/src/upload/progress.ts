// What an upload's progress bars show. Derived from the state, never stored.
import { plainRange, sealedRange } from '@furoshiki/core';
import { type FileFacts, isUploadRunning, type PartState, type RunningUpload, type UploadState } from './machine.ts';

export interface UploadProgress {
  fileName: string;
  /** 0 to 100, of the current file. */
  filePercent: number;
  /** 0 to 100, of all files, weighted by their bytes. */
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
  const { files, fileIndex, plan, parts, arrivedBytes } = state;
  const totalBytes = sum(files.map(sizeOf));
  const bytesBefore = sum(files.slice(0, fileIndex).map(sizeOf));
  const weightedBytes = sum(
    parts.map((part, index) => (partBytes(state, index) * percentOfPart(state, part, index)) / 100),
  );
  const partsDone = parts.filter((part) => part.step === 'reported').length;
  return {
    fileName: files[fileIndex]?.name ?? '',
    filePercent: percent(weightedBytes, plan.fileSize),
    overallPercent: percent(bytesBefore + weightedBytes, totalBytes),
    loadedBytes: bytesBefore + sum(parts.map((part, index) => loadedBytesOf(state, part, index))),
    arrivedBytes,
    totalBytes,
    currentPart: Math.min(partsDone + 1, plan.count),
    currentFile: fileIndex + 1,
    totalParts: plan.count,
    totalFiles: files.length,
  };
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

function percentOfPart({ plan }: RunningUpload, part: PartState, index: number): number {
  return partPercent(part, sealedRange(plan, index).length);
}

function loadedBytesOf(state: RunningUpload, part: PartState, index: number): number {
  if (part.step === 'waiting') return 0;
  // Sent bytes include the IV and the tag, which are not part of the file.
  return part.step === 'sending' ? Math.min(part.sentBytes, partBytes(state, index)) : partBytes(state, index);
}

function partBytes({ plan }: RunningUpload, index: number): number {
  return plainRange(plan, index).length;
}

const sizeOf = (file: FileFacts): number => file.size;
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
