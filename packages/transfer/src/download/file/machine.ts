// The states of one file's download and the allowed transitions between them. Pure.
import type { Failure } from '@furoshiki/api';
import type { PartPlan } from '@furoshiki/format';

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
