import { expect, it } from 'vitest';
import { formatDateTime } from './format-date.ts';

/** In the time zone of the machine, as the clock shows it. */
const NOON = new Date(2026, 3, 1, 12, 5);
const MIDNIGHT = new Date(2026, 3, 1, 0, 5);

it.each([
  ['ko', 'long', NOON, '2026년 4월 1일 12:05'],
  ['ko', 'medium', MIDNIGHT, '2026. 4. 1. 00:05'],
  ['zh-TW', 'long', NOON, '2026年4月1日 12:05'],
  ['zh-TW', 'medium', MIDNIGHT, '2026年4月1日 00:05'],
  ['zh-CN', 'long', NOON, '2026年4月1日 12:05'],
  ['fr', 'long', NOON, '1ᵉʳ avril 2026 à 12:05'],
  ['de', 'long', NOON, '1. April 2026 um 12:05'],
] as const)('writes a time in %s, %s', (language, dateStyle, at, text) => {
  expect(formatDateTime(at, { language, dateStyle })).toBe(text);
});

it('takes a regional variant of the language', () => {
  expect(formatDateTime(NOON, { language: 'en', locale: 'en-GB', dateStyle: 'long' })).toContain('1 April 2026');
});
