// The states of one file's download and the only ways from one to another. Pure.
import type { Failure, PartPlan } from '@furoshiki/core';

export type ChunkState = { step: 'waiting' } | { step: 'receiving'; receivedBytes: number } | { step: 'written' };

interface DownloadedFile extends PartPlan {
  fileName: string;
}

export type DownloadState =
  | { phase: 'idle' }
  | { phase: 'starting'; file: DownloadedFile }
  | { phase: 'downloading'; file: DownloadedFile; chunks: readonly ChunkState[] }
  /** Every chunk is authenticated and written: being handed over and acknowledged. Too late to cancel. */
  | { phase: 'finishing'; file: DownloadedFile }
  /** `confirmed` is false where the server could not be told. The file is whole all the same. */
  | { phase: 'complete'; file: DownloadedFile; confirmed: boolean }
  | { phase: 'cancelled' }
  | { phase: 'failed'; failure: Failure };

export type DownloadAction =
  | { type: 'start'; file: DownloadedFile }
  | { type: 'receive' }
  | { type: 'chunkMoved'; index: number; chunk: ChunkState }
  | { type: 'finish' }
  | { type: 'complete'; confirmed: boolean }
  | { type: 'cancel' }
  | { type: 'fail'; failure: Failure };

export const IDLE_DOWNLOAD: DownloadState = { phase: 'idle' };

export function reduceDownload(state: DownloadState, action: DownloadAction): DownloadState {
  switch (action.type) {
    case 'start':
      return isDownloadRunning(state) ? state : { phase: 'starting', file: action.file };
    case 'receive':
      if (state.phase !== 'starting') return state;
      return { phase: 'downloading', file: state.file, chunks: waitingChunks(state.file.count) };
    case 'chunkMoved':
      return state.phase === 'downloading' ? moveChunk(state, action.index, action.chunk) : state;
    case 'finish':
      return state.phase === 'downloading' && state.chunks.every(isWritten)
        ? { phase: 'finishing', file: state.file }
        : state;
    case 'complete':
      if (state.phase !== 'finishing') return state;
      return { phase: 'complete', file: state.file, confirmed: action.confirmed };
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

function waitingChunks(count: number): ChunkState[] {
  return Array.from({ length: count }, () => ({ step: 'waiting' }));
}

type Downloading = Extract<DownloadState, { phase: 'downloading' }>;

/** A written chunk stays written, whatever a late progress event says. */
function moveChunk(state: Downloading, index: number, chunk: ChunkState): Downloading {
  const current = state.chunks[index];
  if (current === undefined || isWritten(current)) return state;
  return { ...state, chunks: state.chunks.with(index, chunk) };
}

function isWritten(chunk: ChunkState): boolean {
  return chunk.step === 'written';
}
