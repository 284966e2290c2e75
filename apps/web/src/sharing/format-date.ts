// When a page's files are deleted: the day and the time, and how far off that is.
import type { PageFile } from '@furoshiki/core';
import { isUsedUp } from '@furoshiki/transfer';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Epoch seconds. The first file that goes decides. Undefined where there is nothing more to be had in time. */
export function firstExpiry(files: readonly PageFile[]): number | undefined {
  const ends = files.filter((file) => !isUsedUp(file)).map((file) => file.expiresAt);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

export function formatDate(atSeconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(atSeconds * 1000);
}

/** In the largest unit of which there are two or more, or one: "in 23 hours", "in 2 days". */
export function formatTimeUntil(seconds: number, language: string): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['minute', 60];
  return new Intl.RelativeTimeFormat(language).format(Math.max(0, Math.floor(seconds / length)), unit);
}
