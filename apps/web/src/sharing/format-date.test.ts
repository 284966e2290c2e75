import type { PageFile } from '@furoshiki/core';
import { expect, it } from 'vitest';
import { firstExpiry, formatTimeUntil } from './format-date.ts';

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

it('derives when a file is deleted from its creation, if the page does not say it', () => {
  const file = { maxDownloads: 5, currentDownloads: 0, createdAt: 1000, retentionPeriod: 3 } as PageFile;
  expect(firstExpiry([file])).toBe(1000 + 72 * 3600);
  expect(firstExpiry([file, { ...file, expiresAt: 2000 }])).toBe(2000);
});
