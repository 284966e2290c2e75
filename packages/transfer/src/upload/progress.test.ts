import { Failure } from '@furoshiki/api';
import { KB, planOfChunks } from '@furoshiki/format';
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

const U = 128 * KB;

describe('the progress of an upload', () => {
  const files = [
    { name: 'small', size: U },
    { name: 'big', size: 3 * U },
    { name: 'last', size: 6 * U },
  ];
  const second = (...parts: PartState[]): UploadState => ({
    phase: 'uploading',
    files,
    fileIndex: 1,
    plan: planOfChunks(3 * U, 2 * U),
    parts,
    ahead: new Map(),
    totalBytes: 10 * U,
    bytesBefore: U,
    arrivedBytes: U,
    isWaitingForNetwork: false,
    signIn: 'none',
  });
  it.each<[string, PartState[], object]>([
    [
      'nothing of the second file',
      [{ step: 'waiting' }, { step: 'waiting' }],
      { filePercent: 0, loadedBytes: U, currentPart: 1 },
    ],
    [
      'half of its first part',
      [sending(U + 14), { step: 'waiting' }],
      { filePercent: 100 / 3, loadedBytes: 2 * U + 14, currentPart: 1 },
    ],
    [
      'all bytes of its last part only, with IV and tag',
      [{ step: 'waiting' }, sending(U + 28)],
      { filePercent: 25, loadedBytes: 2 * U, currentPart: 1 },
    ],
    [
      'its first part sent, its last one reported',
      [{ step: 'sent' }, { step: 'reported' }],
      { filePercent: 260 / 3, loadedBytes: 4 * U, currentPart: 2 },
    ],
    [
      'all of it',
      [{ step: 'reported' }, { step: 'reported' }],
      { filePercent: 100, loadedBytes: 4 * U, currentPart: 2 },
    ],
  ])('shows %s', (_, parts, shown) => {
    const counts = { totalParts: 2, currentFile: 2, totalFiles: 3 };
    const settled = { fileName: 'big', arrivedBytes: U, totalBytes: 10 * U, ...counts };
    const { filePercent, ...rest } = shown as { filePercent: number; loadedBytes: number };
    const progress = uploadProgress(second(...parts));
    expect(progress).toMatchObject({ ...settled, ...rest });
    expect(progress?.filePercent).toBeCloseTo(filePercent);
    // Of three files, each weighs as much as U bytes. The first, of U bytes, is loaded, and a part of the second, of 3 U.
    const filesLoaded = 1 + (rest.loadedBytes - U) / (3 * U);
    expect(progress?.overallPercent).toBeCloseTo((100 * (rest.loadedBytes / U + filesLoaded)) / 13);
  });

  it('agrees with the bytes of one file', () => {
    const one = { ...second(sending(U + 14), { step: 'waiting' }), files: [{ name: 'big', size: 3 * U }] };
    const progress = uploadProgress({ ...one, fileIndex: 0, bytesBefore: 0, totalBytes: 3 * U } as UploadState);
    expect(progress?.overallPercent).toBeCloseTo((100 * (progress?.loadedBytes ?? 0)) / (3 * U));
  });

  it('counts files that were begun ahead', () => {
    const ahead = new Map([
      [2, { phase: 'uploading' as const, plan: planOfChunks(6 * U, 6 * U), parts: [{ step: 'sent' as const }] }],
    ]);
    const progress = uploadProgress({ ...second({ step: 'waiting' }, { step: 'waiting' }), ahead } as UploadState);
    expect(progress).toMatchObject({ fileName: 'big', filePercent: 0, loadedBytes: 7 * U, currentFile: 2 });
    expect(progress?.overallPercent).toBeCloseTo((100 * (7 + 2)) / 13);
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
      ahead: new Map(),
      bytesBefore: 0,
      totalBytes: 0,
    };
    expect(uploadProgress(empty as UploadState)).toMatchObject({ filePercent: 0, overallPercent: 0, currentPart: 0 });
  });
});
