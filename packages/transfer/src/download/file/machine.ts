// The states of a download, the allowed transitions between them, and the progress that is derived from them, never stored. Pure.
import type { Failure } from '@furoshiki/api';
import { type PartPlan, plainRange } from '@furoshiki/format';

export type ChunkState =
  | { step: 'waiting' }
  | { step: 'receiving'; receivedBytes: number }
  /** Received: it is being opened, or waits until the chunks before it are written. */
  | { step: 'opening' }
  | { step: 'written' };

interface DownloadedFile extends PartPlan {
  fileName: string;
  isEncrypted: boolean;
  /** Bytes from an earlier attempt. */
  arrivedBytes: number;
}

export type DownloadState =
  | { phase: 'idle' }
  | { phase: 'starting'; file: DownloadedFile }
  | { phase: 'downloading'; file: DownloadedFile; chunks: readonly ChunkState[] }
  /** Every chunk is authenticated and written, and the file is being saved. It is too late to cancel. */
  | { phase: 'finishing'; file: DownloadedFile }
  /** `confirmed` is false until the server has confirmed the download. The file is complete in any case. */
  | { phase: 'complete'; file: DownloadedFile; confirmed: boolean }
  | { phase: 'cancelled' }
  | { phase: 'failed'; failure: Failure };

export type DownloadAction =
  | { type: 'start'; file: Omit<DownloadedFile, 'arrivedBytes'> }
  | { type: 'receive'; firstIndex: number }
  | { type: 'chunkChanged'; index: number; chunk: ChunkState }
  | { type: 'finish' }
  | { type: 'complete' }
  | { type: 'confirmed' }
  | { type: 'cancel' }
  | { type: 'fail'; failure: Failure };

export const IDLE_DOWNLOAD: DownloadState = { phase: 'idle' };

export function reduceDownload(state: DownloadState, action: DownloadAction): DownloadState {
  switch (action.type) {
    case 'start':
      return isDownloadRunning(state) ? state : { phase: 'starting', file: { ...action.file, arrivedBytes: 0 } };
    case 'receive':
      return state.phase === 'starting' ? begin(state.file, action.firstIndex) : state;
    case 'chunkChanged':
      return state.phase === 'downloading' ? changeChunk(state, action.index, action.chunk) : state;
    case 'finish':
      return state.phase === 'downloading' && state.chunks.every(isWritten)
        ? { phase: 'finishing', file: state.file }
        : state;
    case 'complete':
      return state.phase === 'finishing' ? { phase: 'complete', file: state.file, confirmed: false } : state;
    case 'confirmed':
      return state.phase === 'complete' && !state.confirmed ? { ...state, confirmed: true } : state;
    case 'cancel':
      return state.phase === 'starting' || state.phase === 'downloading' ? { phase: 'cancelled' } : state;
    case 'fail':
      return isDownloadRunning(state) ? { phase: 'failed', failure: action.failure } : state;
    default:
      return action satisfies never;
  }
}

export function isDownloadRunning(state: DownloadState): boolean {
  return state.phase === 'starting' || state.phase === 'downloading' || state.phase === 'finishing';
}

/** Chunks below `firstIndex` were written by an earlier attempt. */
function begin(file: DownloadedFile, firstIndex: number): Downloading {
  const { fileSize, chunkSize, count } = file;
  const chunks = Array.from({ length: count }, (_, index): ChunkState => {
    return { step: index < firstIndex ? 'written' : 'waiting' };
  });
  const arrivedBytes = Math.min(firstIndex * chunkSize, fileSize);
  return { phase: 'downloading', file: { ...file, arrivedBytes }, chunks };
}

type Downloading = Extract<DownloadState, { phase: 'downloading' }>;

/** A written chunk stays written, even if a late progress event arrives. */
function changeChunk(state: Downloading, index: number, chunk: ChunkState): Downloading {
  const current = state.chunks[index];
  if (current === undefined || isWritten(current)) return state;
  return { ...state, chunks: state.chunks.with(index, chunk) };
}

function isWritten(chunk: ChunkState): boolean {
  return chunk.step === 'written';
}

export interface DownloadProgress {
  fileName: string;
  /** 0 to 100. */
  percent: number;
  /** Plaintext bytes. */
  loadedBytes: number;
  /** Those of them that an earlier attempt has written. */
  arrivedBytes: number;
  totalBytes: number;
  /** Counted from 1. */
  currentPart: number;
  totalParts: number;
  /** Everything of an encrypted file is fetched, and something remains to be opened or written. */
  isDecrypting: boolean;
}

/** Undefined if there is no file. */
export function downloadProgress(state: DownloadState): DownloadProgress | undefined {
  if (!('file' in state)) return undefined;
  const { file } = state;
  const { loadedBytes, partsDone } = loaded(state);
  return {
    fileName: file.fileName,
    percent: file.fileSize === 0 ? 0 : (loadedBytes / file.fileSize) * 100,
    loadedBytes,
    arrivedBytes: file.arrivedBytes,
    totalBytes: file.fileSize,
    currentPart: Math.min(partsDone + 1, file.count),
    totalParts: file.count,
    isDecrypting: file.isEncrypted && state.phase === 'downloading' && state.chunks.every(isFetched),
  };
}

function loaded(state: Extract<DownloadState, { file: unknown }>): { loadedBytes: number; partsDone: number } {
  switch (state.phase) {
    case 'starting':
      return { loadedBytes: 0, partsDone: 0 };
    case 'downloading': {
      const bytesOf = (chunk: ChunkState, index: number) => chunkBytes(chunk, plainRange(state.file, index).length);
      return {
        loadedBytes: state.chunks.map(bytesOf).reduce((total, bytes) => total + bytes, 0),
        partsDone: state.chunks.filter((chunk) => chunk.step === 'written').length,
      };
    }
    case 'finishing':
    case 'complete':
      return { loadedBytes: state.file.fileSize, partsDone: state.file.count };
    default:
      return state satisfies never;
  }
}

function isFetched({ step }: ChunkState): boolean {
  return step === 'opening' || step === 'written';
}

function chunkBytes(chunk: ChunkState, plainBytes: number): number {
  if (chunk.step === 'waiting') return 0;
  // Received bytes include the IV and the tag, which are not part of the file.
  return chunk.step === 'receiving' ? Math.min(chunk.receivedBytes, plainBytes) : plainBytes;
}
