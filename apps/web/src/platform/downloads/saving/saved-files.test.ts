import { MB } from '@furoshiki/format';
import { expect, it } from 'vitest';
import { fitsInMemory } from './saved-files.ts';

it.each([
  ['one chunk', 25 * MB, 25 * MB, true],
  ['several chunks, which can be resumed', 25 * MB, 5 * MB, false],
  ['one chunk that is larger than usual', 25 * MB + 1, 50 * MB, false],
])('%s: is kept in memory?', (_, fileSize, chunkSize, expected) => {
  expect(fitsInMemory({ fileSize, chunkSize })).toBe(expected);
});
