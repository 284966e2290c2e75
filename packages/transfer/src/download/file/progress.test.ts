import { Failure } from '@furoshiki/api';
import { planOfChunks } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { type ChunkState, downloadProgress, type DownloadState } from './machine.ts';

const file = { fileName: 'a', isEncrypted: true, ...planOfChunks(250, 100), arrivedBytes: 100 };
const downloading = (...chunks: ChunkState[]): DownloadState => ({ phase: 'downloading', file, chunks });
const waiting: ChunkState = { step: 'waiting' };
const written: ChunkState = { step: 'written' };
const opening: ChunkState = { step: 'opening' };
const receiving = (receivedBytes: number): ChunkState => ({ step: 'receiving', receivedBytes });

describe('the progress of a download', () => {
  it.each<[DownloadState, number, number]>([
    [{ phase: 'starting', file }, 0, 1],
    [downloading(waiting, waiting, waiting), 0, 1],
    [downloading(receiving(50), waiting, waiting), 50, 1],
    [downloading(receiving(128), waiting, waiting), 100, 1],
    [downloading(written, waiting, receiving(25)), 125, 2],
    [downloading(written, written, receiving(78)), 250, 3],
    [downloading(written, opening, waiting), 200, 2],
    [downloading(written, written, written), 250, 3],
    [{ phase: 'finishing', file }, 250, 3],
    [{ phase: 'complete', file, confirmed: true }, 250, 3],
  ])('%o has loaded %d bytes and is at part %d', (state, loadedBytes, currentPart) => {
    const percent = (loadedBytes / 250) * 100;
    const bytes = { loadedBytes, arrivedBytes: 100, totalBytes: 250 };
    const shown = { fileName: 'a', percent, ...bytes, currentPart, totalParts: 3 };
    expect(downloadProgress(state)).toMatchObject(shown);
  });

  it.each<[DownloadState, boolean]>([
    [{ phase: 'starting', file }, false],
    [downloading(opening, receiving(5), written), false],
    [downloading(written, waiting, opening), false],
    [downloading(written, opening, opening), true],
    [{ phase: 'finishing', file }, false],
    [{ phase: 'downloading', file: { ...file, isEncrypted: false }, chunks: [opening, opening, written] }, false],
  ])('%o is decrypting: %s', (state, isDecrypting) => {
    expect(downloadProgress(state)).toMatchObject({ isDecrypting });
  });

  it.each<DownloadState>([
    { phase: 'idle' },
    { phase: 'cancelled' },
    { phase: 'failed', failure: new Failure('NETWORK') },
  ])('is nothing when $phase', (state) => expect(downloadProgress(state)).toBeUndefined());
});
