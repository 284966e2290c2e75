import { expect, it } from 'vitest';
import { downloadCategory } from './download-categories.ts';
import { limitGbOf, uploadCategory, uploadErrorKind } from './upload-categories.ts';
import { asFailure, Failure, type FailureCode, failureDuring, isApiErrorCode } from './errors.ts';

it('keeps a Failure as it is and wraps anything else with its cause', () => {
  const failure = new Failure('NETWORK');
  expect(asFailure(failure)).toBe(failure);
  const cause = new TypeError('boom');
  expect(asFailure(cause)).toMatchObject({ code: 'UNKNOWN', cause });
});

it('distinguishes our own codes from foreign ones', () => {
  expect(isApiErrorCode('NOT_FOUND')).toBe(true);
  expect(isApiErrorCode('toString')).toBe(false);
  expect(isApiErrorCode(undefined)).toBe(false);
});

it.each([
  ['CSRF_TOKEN_EXPIRED', undefined, 'csrfTokenExpired', 'apiError'],
  ['CANCELLED', undefined, 'uploadCancelled', 'uploadCancelled'],
  ['ENCRYPTION_FAILED', undefined, 'encryptionFailed', 'encryptionError'],
  ['FILE_TOO_LARGE', undefined, 'fileTooLarge', 'apiError'],
  ['QUOTA_EXCEEDED', undefined, 'sizeExceeded', 'apiError'],
  ['NETWORK', undefined, 'networkError', 'networkError'],
  ['TIMEOUT', undefined, 'timeout', 'networkError'],
  ['API_ERROR', 401, 'permissionDenied', 'apiError'],
  ['API_ERROR', 403, 'csrfTokenExpired', 'apiError'],
  ['API_ERROR', 408, 'timeout', 'apiError'],
  ['STORAGE_ERROR', 413, 'fileTooLarge', 'chunkUploadError'],
  ['STORAGE_ERROR', 500, 'unknown', 'chunkUploadError'],
  ['INVALID_URL', undefined, 'unknown', 'invalidUrl'],
  ['UNKNOWN', undefined, 'unknown', 'unknown'],
] as const)('maps %s (status %s) to %s, of kind %s', (code, status, category, kind) => {
  expect(uploadCategory(new Failure(code, status === undefined ? {} : { status }))).toBe(category);
  expect(uploadErrorKind(code)).toBe(kind);
});

it.each([
  ['DOWNLOAD_LIMIT_REACHED', 403, 'limitReached'],
  ['NOT_FOUND', 404, 'notFound'],
  ['URL_EXPIRED', 403, 'storageRefused'],
  ['SIGNATURE_INVALID', 403, 'storageRefused'],
  ['INVALID_URL', undefined, 'noUrl'],
  ['API_ERROR', 403, 'accessDenied'],
  ['API_ERROR', 410, 'linkExpired'],
  ['DECRYPTION_FAILED', undefined, 'decryptionFailed'],
  ['DATA_INCOMPLETE', undefined, 'decryptionFailed'],
  ['CHUNK_SIZE_INVALID', undefined, 'decryptionFailed'],
  ['KEY_INCORRECT', undefined, 'invalidKey'],
  ['CANCELLED', undefined, 'downloadCancelled'],
  ['FILE_EMPTY', undefined, 'emptyFile'],
  ['NETWORK', undefined, 'networkError'],
  ['STORAGE_ERROR', 404, 'notFound'],
  ['STORAGE_ERROR', 403, 'storageRefused'],
  ['STORAGE_ERROR', 500, 'unknown'],
  ['INTERNAL', 500, 'unknown'],
  ['SERVICE_UNAVAILABLE', 503, 'networkError'],
] as const)('maps a failed download with %s (status %s) to %s', (code, status, category) => {
  expect(downloadCategory(new Failure(code, status === undefined ? {} : { status }))).toBe(category);
});

it.each<['fileInfo' | 'storage', FailureCode, number | undefined, string]>([
  ['fileInfo', 'INTERNAL', 500, 'fileInfoFailed'],
  ['fileInfo', 'API_ERROR', 502, 'fileInfoFailed'],
  ['fileInfo', 'API_ERROR', 200, 'noUrl'],
  ['fileInfo', 'NOT_FOUND', 404, 'notFound'],
  ['storage', 'STORAGE_ERROR', 503, 'storageFailed'],
  ['storage', 'INTERNAL', 500, 'storageFailed'],
  ['storage', 'UNKNOWN', undefined, 'unknown'],
])('maps a download that failed during %s with %s (status %s) to %s', (during, code, status, category) => {
  const failure = failureDuring(during, new Failure(code, status === undefined ? {} : { status }));
  expect(downloadCategory(failure)).toBe(category);
});

it.each([
  [{ text: 'CSRF mismatch' }, 'csrfTokenExpired'],
  [{ foreignCode: 'INVALID_TOKEN' }, 'csrfTokenExpired'],
  [{ foreignCode: 'INVALID_TOKEN', status: 401 }, 'permissionDenied'],
  [{ foreignCode: 'CSRF_ERROR' }, 'csrfTokenExpired'],
  [{ text: 'Request aborted' }, 'uploadCancelled'],
  [{ text: 'Canceled by user' }, 'uploadCancelled'],
  [{ text: 'Could not encrypt' }, 'encryptionFailed'],
  [{ text: 'Bad size' }, 'fileTooLarge'],
  [{ text: 'Total size exceeds 20 GB' }, 'sizeExceeded'],
  [{ text: 'Quota exceeded' }, 'sizeExceeded'],
  [{ text: 'Network down' }, 'networkError'],
  [{ text: 'Connection refused' }, 'networkError'],
  [{ text: 'Gateway timeout' }, 'timeout'],
  [{ text: 'Timed out' }, 'timeout'],
  [{ text: 'Access denied' }, 'permissionDenied'],
  [{ text: 'No permission' }, 'permissionDenied'],
  [{ text: 'It broke' }, 'unknown'],
  [{ text: 'A token of 1 GB', status: 413 }, 'fileTooLarge'],
] as const)('maps the response %o of another server to %s, by its text', (details, category) => {
  expect(uploadCategory(new Failure('API_ERROR', details))).toBe(category);
});

it('derives a category from the text of foreign errors, never from that of our own codes', () => {
  expect(uploadCategory(asFailure(new TypeError('Network error')))).toBe('networkError');
  expect(uploadCategory(new Failure('VALIDATION_FAILED', { text: 'token' }))).toBe('unknown');
});

it.each([
  ['Total size exceeds the limit (20 GB).', 20],
  ['at most 2.5gb', 2.5],
  ['too much', 10],
  [undefined, 10],
])('takes the limit from %s: %d GB', (text, gb) => {
  expect(limitGbOf(new Failure('SIZE_EXCEEDED', text === undefined ? {} : { text }))).toBe(gb);
});
