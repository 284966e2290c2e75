import type { PageFile } from '@furoshiki/api';
import { expect, it } from 'vitest';
import { firstExpiry, formatDate, formatTimeUntil } from './format-date.ts';

it.each([
  [3 * 86_400, 'in 3 days'],
  [3 * 86_400 - 5, 'in 3 days'],
  [60 * 3600 - 3600, 'in 2 days'],
  [2 * 86_400 - 5, 'in 2 days'],
  [47 * 3600, 'in 47 hours'],
  [86_400 - 5, 'in 24 hours'],
  [2 * 3600 - 5, 'in 2 hours'],
  [90 * 60, 'in 90 minutes'],
  [29, 'in 0 minutes'],
  [-5, 'in 0 minutes'],
])('formats %d seconds as "%s"', (seconds, text) => {
  expect(formatTimeUntil(seconds, 'en')).toBe(text);
});

it('uses the given language', () => {
  expect(formatTimeUntil(3 * 86_400, 'ja')).toBe('3 日後');
});

it.each([
  ['en', ['de', 'en-GB', 'en-US'], '3 April 2025'],
  ['en', ['en-US', 'en-GB'], 'April 3, 2025'],
  ['en', ['en-US@posix'], 'April 3, 2025'],
  ['en', ['ja'], 'April 3, 2025'],
  ['de', ['de-AT', 'en-GB'], '3. April 2025'],
])('writes a date in %s for a reader of %j as %s', (language, preferred, date) => {
  expect(formatDate(Date.UTC(2025, 3, 3, 12) / 1000, language, preferred)).toContain(date);
});

it('derives when a file is deleted from its creation, if the page does not say it', () => {
  const file = { maxDownloads: 5, currentDownloads: 0, createdAt: 1000, retentionPeriod: 3 } as PageFile;
  expect(firstExpiry([file])).toBe(1000 + 72 * 3600);
  expect(firstExpiry([file, { ...file, expiresAt: 2000 }])).toBe(2000);
});
