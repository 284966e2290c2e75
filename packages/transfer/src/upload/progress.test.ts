import { Failure, planOfChunks } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import type { PartState, UploadState } from './machine.ts';
import { partPercent, uploadProgress } from './progress.ts';

const sending = (sentBytes: number): PartState => ({ step: 'sending', sentBytes });

describe('the progress of a part', () => {
  it.each<[PartState, number]>([
    [{ step: 'waiting' }, 0],
    [sending(0), 25],
    [sending(100), 50],
    [sending(200), 75],
    [sending(999), 75],
    [{ step: 'sent' }, 80],
    [{ step: 'reported' }, 100],
  ])('%o of 200 bytes shows %d', (part, percent) => {
    expect(partPercent(part, 200)).toBe(percent);
  });
});

describe('the progress of an upload', () => {
  const files = [
    { name: 'small', size: 100 },
    { name: 'big', size: 300 },
    { name: 'last', size: 600 },
  ];
  const second = (...parts: PartState[]): UploadState => ({
    phase: 'uploading',
    files,
    fileIndex: 1,
    plan: planOfChunks(300, 200),
    parts,
    arrivedBytes: 100,
    isWaitingForNetwork: false,
  });

  it.each<[string, PartState[], object]>([
    [
      'nothing of the second file',
      [{ step: 'waiting' }, { step: 'waiting' }],
      { filePercent: 0, overallPercent: 10, loadedBytes: 100, currentPart: 1 },
    ],
    [
      'half of its first part',
      [sending(114), { step: 'waiting' }],
      { filePercent: 100 / 3, overallPercent: 20, loadedBytes: 214, currentPart: 1 },
    ],
    [
      'all bytes of its last part only, with IV and tag',
      [{ step: 'waiting' }, sending(128)],
      { filePercent: 25, overallPercent: 17.5, loadedBytes: 200, currentPart: 1 },
    ],
    [
      'its first part sent, its last one reported',
      [{ step: 'sent' }, { step: 'reported' }],
      { filePercent: 260 / 3, overallPercent: 36, loadedBytes: 400, currentPart: 2 },
    ],
    [
      'all of it',
      [{ step: 'reported' }, { step: 'reported' }],
      { filePercent: 100, overallPercent: 40, loadedBytes: 400, currentPart: 2 },
    ],
  ])('shows %s', (_, parts, shown) => {
    const counts = { totalParts: 2, currentFile: 2, totalFiles: 3 };
    const settled = { fileName: 'big', arrivedBytes: 100, totalBytes: 1000, ...counts };
    const { filePercent, overallPercent, ...rest } = shown as { filePercent: number; overallPercent: number };
    const progress = uploadProgress(second(...parts));
    expect(progress).toMatchObject({ ...settled, ...rest });
    expect(progress?.filePercent).toBeCloseTo(filePercent);
    expect(progress?.overallPercent).toBeCloseTo(overallPercent);
  });

  it.each<UploadState>([
    { phase: 'idle' },
    { phase: 'cancelled' },
    { phase: 'failed', failure: new Failure('NETWORK'), fileName: 'big' },
  ])('shows nothing when $phase', (state) => expect(uploadProgress(state)).toBeUndefined());

  it('shows 0 percent of an empty file', () => {
    const empty = {
      phase: 'uploading',
      files: [{ name: '', size: 0 }],
      fileIndex: 0,
      plan: planOfChunks(0, 9),
      parts: [],
    };
    expect(uploadProgress(empty as UploadState)).toMatchObject({ filePercent: 0, overallPercent: 0, currentPart: 0 });
  });
});
