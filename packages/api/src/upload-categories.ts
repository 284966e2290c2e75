// The categories of errors that senders see: a table from failure code to category. Apart from those of downloads, because the
// home screen loads it before the first paint.
import { type Failure, type FailureCode, isApiErrorCode } from './errors.ts';
import { STATED_TOTAL_GB } from './limits.ts';

/** The coarse kind of a failure while something is sent, for events. */
export type UploadErrorKind =
  | 'encryptionError'
  | 'uploadCancelled'
  | 'invalidUrl'
  | 'apiError'
  | 'chunkUploadError'
  | 'networkError'
  | 'unknown';

const UPLOAD_KIND_OF: Partial<Record<FailureCode, UploadErrorKind>> = {
  ENCRYPTION_FAILED: 'encryptionError',
  CANCELLED: 'uploadCancelled',
  INVALID_URL: 'invalidUrl',
  API_ERROR: 'apiError',
  STORAGE_ERROR: 'chunkUploadError',
  NETWORK: 'networkError',
  TIMEOUT: 'networkError',
};

export const UPLOAD_CATEGORIES = [
  'csrfTokenExpired',
  'uploadCancelled',
  'encryptionFailed',
  'fileTooLarge',
  'sizeExceeded',
  'networkError',
  'timeout',
  'permissionDenied',
  'unknown',
] as const;
export type UploadCategory = (typeof UPLOAD_CATEGORIES)[number];

const UPLOAD_CATEGORY_OF: Partial<Record<FailureCode, UploadCategory>> = {
  CSRF_TOKEN_EXPIRED: 'csrfTokenExpired',
  CANCELLED: 'uploadCancelled',
  ENCRYPTION_FAILED: 'encryptionFailed',
  FILE_TOO_LARGE: 'fileTooLarge',
  BODY_TOO_LARGE: 'fileTooLarge',
  SIZE_EXCEEDED: 'sizeExceeded',
  QUOTA_EXCEEDED: 'sizeExceeded',
  NETWORK: 'networkError',
  TIMEOUT: 'timeout',
  FORBIDDEN: 'permissionDenied',
  SIGNATURE_INVALID: 'permissionDenied',
  URL_EXPIRED: 'permissionDenied',
  ENCRYPTION_REQUIRED: 'permissionDenied',
  NAMES_NOT_HIDDEN: 'permissionDenied',
};

const UPLOAD_CATEGORY_OF_STATUS: Record<number, UploadCategory> = {
  401: 'permissionDenied',
  403: 'csrfTokenExpired',
  408: 'timeout',
  413: 'fileTooLarge',
};

/** `exceed` comes before `size`, because "the total size exceeds" is about the total. */
const UPLOAD_CATEGORY_OF_TEXT: readonly (readonly [RegExp, UploadCategory])[] = [
  [/csrf|token/iu, 'csrfTokenExpired'],
  [/abort|cancel/iu, 'uploadCancelled'],
  [/encrypt/iu, 'encryptionFailed'],
  [/exceed/iu, 'sizeExceeded'],
  [/size|too.large/iu, 'fileTooLarge'],
  [/network|connect/iu, 'networkError'],
  [/time.?out|timed out/iu, 'timeout'],
  [/access|permission|forbidden/iu, 'permissionDenied'],
];

export function uploadErrorKind(code: FailureCode): UploadErrorKind {
  return UPLOAD_KIND_OF[code] ?? (isApiErrorCode(code) ? 'apiError' : 'unknown');
}

/** Decided by the code, then by the HTTP status of a response without one of our codes, then by its text. */
export function uploadCategory(failure: Failure): UploadCategory {
  const { code, details } = failure;
  const byStatus = details.status === undefined ? undefined : UPLOAD_CATEGORY_OF_STATUS[details.status];
  return UPLOAD_CATEGORY_OF[code] ?? byStatus ?? categoryOfText(failure) ?? 'unknown';
}

/** Reads the text only of errors that are not our own. */
function categoryOfText({ code, details, cause }: Failure): UploadCategory | undefined {
  if (code !== 'API_ERROR' && code !== 'STORAGE_ERROR' && code !== 'UNKNOWN') return undefined;
  const text = [details.foreignCode, details.text, cause instanceof Error ? cause.message : ''].join(' ');
  return UPLOAD_CATEGORY_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

/** Returns the limit that the error text names, for messages that show it. */
export function limitGbOf({ details: { text = '' } }: Failure): number {
  return Number(/(\d+(?:\.\d+)?)\s*GB/iu.exec(text)?.[1] ?? STATED_TOTAL_GB);
}
