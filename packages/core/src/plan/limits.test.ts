import { expect, it } from 'vitest';
import { clampDownloadLimit, MAX_TOTAL_BYTES } from './limits.ts';
import { GB } from './part-plan.ts';

it.each([
  ['', 1],
  ['abc', 1],
  ['0', 1],
  ['-5', 1],
  ['1', 1],
  ['7', 7],
  ['100', 100],
  ['101', 100],
  ['1e9', 1],
  ['12.9', 12],
])('a typed limit of %j becomes %i', (typed, limit) => {
  expect(clampDownloadLimit(typed)).toBe(limit);
});

it('enforces 10.9 GB', () => {
  expect(MAX_TOTAL_BYTES / GB).toBeCloseTo(10.9, 6);
});
