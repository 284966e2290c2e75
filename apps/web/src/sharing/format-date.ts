// Finds and formats the time at which the files of a page are deleted.
import type { PageFile } from '@furoshiki/api';
import { formatDateTime } from '@furoshiki/texts/format-date';
import { isUsedUp } from '@furoshiki/transfer';

/** The earliest expiry in epoch seconds. Undefined if no file can be downloaded any more. */
export function firstExpiry(files: readonly PageFile[]): number | undefined {
  const expiries = files.filter((file) => !isUsedUp(file)).map(expiryOf);
  return expiries.length > 0 ? Math.min(...expiries) : undefined;
}

function expiryOf({ expiresAt, createdAt, retentionPeriod }: PageFile): number {
  return expiresAt ?? createdAt + retentionPeriod * 86_400;
}

/** In the reader's own variant of the language: in English, 3 April is written differently in London and New York. */
export function formatDate(
  atSeconds: number,
  language: string,
  preferred: readonly string[] = navigator.languages,
): string {
  // Some systems report tags that Intl refuses, such as "en-US@posix".
  const regional = preferred.find((tag) => tag.startsWith(`${language}-`) && /^[\w-]+$/u.test(tag));
  return formatDateTime(atSeconds * 1000, { language, locale: regional ?? language, dateStyle: 'long' });
}

/** Rounded, in the largest unit of which at least two fit, for example "in 24 hours" or "in 2 days". */
export function formatTimeUntil(seconds: number, language: string): string {
  const minutes = Math.max(0, Math.round(seconds / 60));
  const hours = Math.round(minutes / 60);
  const format = new Intl.RelativeTimeFormat(language);
  if (hours >= 48) return format.format(Math.round(hours / 24), 'day');
  return minutes >= 120 ? format.format(hours, 'hour') : format.format(minutes, 'minute');
}
