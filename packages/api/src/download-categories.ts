// The categories of errors that recipients see: a table from failure code to category.
import type { Failure, FailureCode } from './errors.ts';

export const DOWNLOAD_CATEGORIES = [
  'accessDenied',
  'decryptionFailed',
  'downloadCancelled',
  'emptyFile',
  'fileInfoFailed',
  'linkExpired',
  'invalidKey',
  'limitReached',
  'networkError',
  'noUrl',
  'notFound',
  'saveFailed',
  'saveUnsupported',
  'storageFailed',
  'storageRefused',
  'unknown',
] as const;
export type DownloadCategory = (typeof DOWNLOAD_CATEGORIES)[number];

const DOWNLOAD_CATEGORY_OF: Partial<Record<FailureCode, DownloadCategory>> = {
  CSRF_TOKEN_EXPIRED: 'accessDenied',
  FORBIDDEN: 'accessDenied',
  KEY_PROOF_REQUIRED: 'accessDenied',
  SIGNATURE_INVALID: 'storageRefused',
  DECRYPTION_FAILED: 'decryptionFailed',
  CHUNK_SIZE_INVALID: 'decryptionFailed',
  DATA_INCOMPLETE: 'decryptionFailed',
  CANCELLED: 'downloadCancelled',
  FILE_EMPTY: 'emptyFile',
  URL_EXPIRED: 'storageRefused',
  INVALID_URL: 'noUrl',
  KEY_EMPTY: 'invalidKey',
  KEY_INVALID_LENGTH: 'invalidKey',
  KEY_INVALID_CHARACTERS: 'invalidKey',
  KEY_IMPORT_FAILED: 'invalidKey',
  KEY_WORD_UNKNOWN: 'invalidKey',
  KEY_WORD_AMBIGUOUS: 'invalidKey',
  KEY_WORDS_COUNT: 'invalidKey',
  KEY_WORDS_WRONG: 'invalidKey',
  KEY_INCORRECT: 'invalidKey',
  PAGE_TAMPERED: 'decryptionFailed',
  FOLDER_INVALID: 'saveFailed',
  DOWNLOAD_LIMIT_REACHED: 'limitReached',
  NETWORK: 'networkError',
  TIMEOUT: 'networkError',
  SERVICE_UNAVAILABLE: 'networkError',
  NOT_FOUND: 'notFound',
  SAVE_FAILED: 'saveFailed',
  SAVE_UNSUPPORTED: 'saveUnsupported',
};

const DOWNLOAD_CATEGORY_OF_STATUS: Record<number, DownloadCategory> = {
  401: 'accessDenied',
  403: 'accessDenied',
  404: 'notFound',
  408: 'networkError',
  410: 'linkExpired',
};

export function downloadCategory({ code, details: { status, during } }: Failure): DownloadCategory {
  const byCode = DOWNLOAD_CATEGORY_OF[code];
  if (byCode !== undefined || status === undefined) return byCode ?? 'unknown';
  if (code === 'STORAGE_ERROR' && (status === 401 || status === 403)) return 'storageRefused';
  return DOWNLOAD_CATEGORY_OF_STATUS[status] ?? categoryOfStep(during, status);
}

function categoryOfStep(during: Failure['details']['during'], status: number): DownloadCategory {
  if (during === 'storage') return 'storageFailed';
  if (during !== 'fileInfo') return 'unknown';
  // A response that reports success and lacks what it should have.
  return status < 400 ? 'noUrl' : 'fileInfoFailed';
}
