// The numbers people meet: how much, how long, how often.
import { GB, MB } from './part-plan.ts';

/** What every text says. */
export const STATED_TOTAL_GB = 10;
/** What is enforced: a little more than stated, so that a "10 GB" folder never fails on rounding. */
export const MAX_TOTAL_BYTES = Math.floor(10.9 * GB);
export const MAX_FILES_PER_PAGE = 1000;
/** Of a path within a folder, where there is one. */
export const MAX_FILE_NAME_LENGTH = 1024;

export const RETENTION_DAYS = [1, 2, 3] as const;
export type RetentionDays = (typeof RETENTION_DAYS)[number];
export const DEFAULT_RETENTION_DAYS: RetentionDays = 1;
/** What a file without a retention period is given. */
export const FALLBACK_RETENTION_DAYS: RetentionDays = 3;

export const DOWNLOAD_LIMIT = { min: 1, max: 100, default: 5, shortcuts: [1, 3, 5, 10] } as const;

/** What a typed download limit becomes: clamped to 1..100, and 1 where it is no number. */
export function clampDownloadLimit(typed: string): number {
  const number = Number.parseInt(typed, 10);
  if (Number.isNaN(number)) return DOWNLOAD_LIMIT.min;
  return Math.min(Math.max(number, DOWNLOAD_LIMIT.min), DOWNLOAD_LIMIT.max);
}

export const MAX_PART_TIMEOUT_MS = 600_000;

/** How long sending a part may take: 3 s for each MB, from one minute to ten. */
export function partTimeoutMs(bytes: number): number {
  return Math.min(Math.max(Math.ceil((bytes / MB) * 3000), 60_000), MAX_PART_TIMEOUT_MS);
}
