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
  const texts = await createTexts('en');
  expect(progressLines(texts, files, 120)).toEqual([
    'photos/とても長い名前のファイル.raw ██████████░░░░░░░░░░  50% 1 MB of 2 MB',
    'All                                 ████████████████████ 100% 4 MB of 4 MB',
  ]);
});

it.each([20, 40, 60, 80, 200])('never needs more than %i columns', async (columns) => {
  const texts = await createTexts('ja');
  for (const line of progressLines(texts, files, columns)) expect(textWidth(line)).toBeLessThan(columns);
});
