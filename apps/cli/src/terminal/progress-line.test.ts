import { addSample, NO_SPEED } from '@furoshiki/transfer';
import { expect, it } from 'vitest';
import { createTexts } from '../texts.ts';
import { progressLines } from './progress-line.ts';
import { textWidth } from './text-width.ts';

const MB = 1024 * 1024;
const files = [
  { name: 'photos/とても長い名前のファイル.raw', percent: 50.9, loadedBytes: MB, totalBytes: 2 * MB },
  { name: 'All', percent: 100, loadedBytes: 4 * MB, totalBytes: 4 * MB },
];

it('aligns names, and shows bar, percent and bytes', async () => {
  const texts = createTexts('en');
  expect(progressLines(texts, files, 120)).toEqual([
    'photos/とても長い名前のファイル.raw ██████████░░░░░░░░░░  50% 1\u00a0MB of 2\u00a0MB',
    'All                                 ████████████████████ 100% 4\u00a0MB of 4\u00a0MB',
  ]);
});

it('shows less in a narrow terminal, and never a part of a word', async () => {
  const texts = createTexts('en');
  let measured = NO_SPEED;
  for (let second = 0; second <= 10; second += 1)
    measured = addSample(measured, { atMs: second * 1000, bytes: second * MB, files: 0 });
  const all = { name: 'All', percent: 25, loadedBytes: 10 * MB, totalBytes: 40 * MB };
  const line = (columns: number) =>
    progressLines(texts, [{ ...all, speed: { measured, total: { bytes: 40 * MB, files: 1 } } }], columns)[0];
  expect(line(80)).toBe('All █████░░░░░░░░░░░░░░░  25% 10\u00a0MB of 40\u00a0MB 1\u00a0MB/s 31 seconds left');
  expect(line(60)).toBe('All ███░░░░░░░  25% 10\u00a0MB of 40\u00a0MB 1\u00a0MB/s 31 seconds left');
  expect(line(44)).toBe('All ███░░░░░░░  25% 1\u00a0MB/s 31 seconds left');
  expect(line(40)).toBe('All  25% 1\u00a0MB/s 31 seconds left');
  expect(line(30)).toBe('All  25% 31 seconds left');
  expect(line(20)).toBe('All  25%');
  expect(
    progressLines(texts, [{ ...all, speed: { measured, total: { bytes: 40 * MB, files: 1 } } }], 80, 'Waiting…'),
  ).toEqual(['All █████░░░░░░░░░░░░░░░  25% 10\u00a0MB of 40\u00a0MB', 'Waiting…']);
});

it.each([20, 40, 60, 80, 200])('never needs more than %i columns', async (columns) => {
  const texts = createTexts('ja');
  for (const line of progressLines(texts, files, columns)) expect(textWidth(line)).toBeLessThan(columns);
});
