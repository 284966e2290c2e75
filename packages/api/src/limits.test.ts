import { expect, it } from 'vitest';
import { clampDownloadLimit, MAX_TOTAL_BYTES, partTimeoutMs } from './limits.ts';
import { GB, MB } from '@furoshiki/format';

it.each([
  ['', 1],
  ['abc', 1],
  ['0', 1],
  ['-5', 1],
  ['1', 1],
  ['7', 7],
  ['100', 100],
  ['101', 100],
  ['1e2', 100],
  ['1e3', 100],
  ['Infinity', 100],
  ['0.5', 1],
  [' 7', 7],
  ['１２', 12],
  ['12.9', 12],
])('a typed limit of %j becomes %i', (typed, limit) => {
  expect(clampDownloadLimit(typed)).toBe(limit);
});

it('enforces 10.9 GB', () => {
  expect(MAX_TOTAL_BYTES / GB).toBeCloseTo(10.9, 6);
});

it.each([
  [0, 60_000],
  [20 * MB, 60_000],
  [25 * MB, 75_000],
  [200 * MB, 600_000],
  [GB, 600_000],
])('gives a part of %i bytes %i ms', (bytes, ms) => {
  expect(partTimeoutMs(bytes)).toBe(ms);
});
