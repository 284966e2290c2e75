// What a download's progress bar shows. Derived from the state, never stored.
import { plainRange } from '@furoshiki/format';
import type { ChunkState, DownloadState } from './machine.ts';

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
