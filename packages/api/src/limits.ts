// The limits that users see: sizes, retention, downloads, timeouts, and the fields of messages to the operator.
import { GB, MAX_FILES_PER_PAGE, MB } from '@furoshiki/format';

/** The limit in all texts. */
export const STATED_TOTAL_GB = 10;
/** The enforced limit: a little more than stated, so that a "10 GB" folder never fails because of rounding. */
export const MAX_TOTAL_BYTES = Math.floor(10.9 * GB);
/** All names of a page together. Every visit of the page transfers them. */
export const MAX_NAMES_LENGTH_PER_PAGE = 200_000;

/** The sealed details of all files of a page together, in characters of Base64. */
export const MAX_DETAILS_LENGTH_PER_PAGE = 2_000_000;
/** The details of one file: a name of 1,024 characters takes 3 KB in UTF-8. */
export const MAX_DETAILS_LENGTH = 8192;
/** A sealed list of 1,000 files takes 36 kB without its notes. */
export const MAX_LIST_LENGTH = 48_000;

/** How many days a request for files may be open. */
export const REQUEST_OPEN_DAYS = [1, 3, 7, 14] as const;
/** The sealed card of a request. */
export const MAX_CARD_LENGTH = 8192;
/** A sealed delivery, in characters of Base64: all of them have this length. */
export const DELIVERY_LENGTH = 2880;
export const MAX_DELIVERIES = 1000;

/** Whether senders may choose to hide names and sizes from the server, or must. */
export const HIDE_NAMES = ['choice', 'always'] as const;

export const RETENTION_DAYS = [1, 2, 3] as const;
export type RetentionDays = (typeof RETENTION_DAYS)[number];
/** What the home screen preselects. */
export const DEFAULT_RETENTION_DAYS: RetentionDays = 1;
/** For an upload whose client sends no retention period. */
export const FALLBACK_RETENTION_DAYS: RetentionDays = 3;

export const DOWNLOAD_LIMIT = { min: 1, max: 100, default: 5, shortcuts: [1, 3, 5, 10] } as const;

/** The part of an instance's configuration that is the same for every instance. */
export const INSTANCE_LIMITS = {
  maxTotalBytes: MAX_TOTAL_BYTES,
  statedTotalGb: STATED_TOTAL_GB,
  maxFilesPerPage: MAX_FILES_PER_PAGE,
  retentionDays: [...RETENTION_DAYS],
  defaultRetentionDays: DEFAULT_RETENTION_DAYS,
  downloadLimit: { ...DOWNLOAD_LIMIT, shortcuts: [...DOWNLOAD_LIMIT.shortcuts] },
};

/** Clamps a typed download limit to 1..100. Returns 1 if it is not a number. Full-width digits are digits too. */
export function clampDownloadLimit(typed: string): number {
  const number = Math.floor(Number.parseFloat(typed.normalize('NFKC')));
  if (Number.isNaN(number)) return DOWNLOAD_LIMIT.min;
  return Math.min(Math.max(number, DOWNLOAD_LIMIT.min), DOWNLOAD_LIMIT.max);
}

export const MAX_PART_TIMEOUT_MS = 600_000;

/** Returns the timeout for sending a part: 3 s per MB, at least one minute, at most ten. */
export function partTimeoutMs(bytes: number): number {
  return Math.min(Math.max(Math.ceil((bytes / MB) * 3000), 60_000), MAX_PART_TIMEOUT_MS);
}

export const CONTACT_LENGTH = { name: 100, email: 254, message: 5000 } as const;
export const MAX_REPORT_LENGTH = 2000;

// Text, at sign, text, dot, text. The text contains no white space, no invisible characters and no separators of mail
// headers, so that a valid address always names exactly one mailbox.
const TEXT = String.raw`[^\s\p{C}@,;:<>()[\]\\"]+`;
const EMAIL = new RegExp(String.raw`^${TEXT}@${TEXT}\.${TEXT}$`, 'u');

export function isEmailAddress(text: string): boolean {
  return text.length <= CONTACT_LENGTH.email && EMAIL.test(text);
}
