// Finds and formats the time at which the files of a page are deleted.
import type { PageFile } from '@furoshiki/core';
import { isUsedUp } from '@furoshiki/transfer';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** The earliest expiry in epoch seconds. Undefined if no file can be downloaded any more. */
export function firstExpiry(files: readonly PageFile[]): number | undefined {
  const expiries = files.filter((file) => !isUsedUp(file)).map(expiryOf);
  return expiries.length > 0 ? Math.min(...expiries) : undefined;
}

function expiryOf({ expiresAt, createdAt, retentionPeriod }: PageFile): number {
  return expiresAt ?? createdAt + retentionPeriod * 86_400;
}

export function formatDate(atSeconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(atSeconds * 1000);
}

/** Uses the largest unit of which at least two fit, for example "in 23 hours" or "in 2 days". */
export function formatTimeUntil(seconds: number, language: string): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['minute', 60];
  return new Intl.RelativeTimeFormat(language).format(Math.max(0, Math.floor(seconds / length)), unit);
}
