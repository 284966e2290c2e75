import { expect, it } from 'vitest';
import { formatTimeUntil } from './format-date.ts';

it.each([
  [3 * 86_400 - 1, 'in 2 days'],
  [47 * 3600, 'in 47 hours'],
  [24 * 3600, 'in 24 hours'],
  [90 * 60, 'in 90 minutes'],
  [30, 'in 0 minutes'],
  [-5, 'in 0 minutes'],
])('formats %d seconds as "%s"', (seconds, text) => {
  expect(formatTimeUntil(seconds, 'en')).toBe(text);
});

it('uses the given language', () => {
  expect(formatTimeUntil(3 * 86_400, 'ja')).toBe('3 日後');
});
