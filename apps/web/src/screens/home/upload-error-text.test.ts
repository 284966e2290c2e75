import { Failure, type FailureCode, type FailureDetails, UPLOAD_CATEGORIES } from '@furoshiki/api';
import { messages } from '@furoshiki/texts/messages';
import { createTranslate } from '@furoshiki/texts/translate';
import { expect, it } from 'vitest';
import { uploadErrorText } from './home-screen.tsx';

const [en, ja] = [createTranslate('en', messages.en), createTranslate('ja', messages.ja)];

const failedUpload = (code: FailureCode, details: FailureDetails) => ({
  failure: new Failure(code, details),
  fileName: 'a.txt',
});

/** A failure of each category, with the message in English and Japanese. */
const byCategory: [FailureCode, FailureDetails, string, string][] = [
  [
    'CSRF_TOKEN_EXPIRED',
    { status: 403 },
    'Your session has expired. Reload the page and try again.',
    messages.ja.uploadErrors.csrfTokenExpired,
  ],
  ['CANCELLED', {}, 'The upload was cancelled.', messages.ja.uploadErrors.uploadCancelled],
  ['ENCRYPTION_FAILED', {}, 'The file couldn’t be encrypted.', messages.ja.uploadErrors.encryptionFailed],
  [
    'FILE_TOO_LARGE',
    { status: 413 },
    'The file is too large. The limit is 10\u00a0GB.',
    messages.ja.uploadErrors.fileTooLarge.replace('{{size}}', '10'),
  ],
  [
    'API_ERROR',
    { status: 413, text: 'At most 4 GB' },
    'The file is too large. The limit is 4\u00a0GB.',
    messages.ja.uploadErrors.fileTooLarge.replace('{{size}}', '4'),
  ],
  [
    'SIZE_EXCEEDED',
    { status: 413 },
    'That’s more than 10\u00a0GB in total. Remove a file or two and try again.',
    messages.ja.uploadErrors.sizeExceeded.replace('{{size}}', '10'),
  ],
  ['NETWORK', {}, 'Network error. Check your connection and try again.', messages.ja.uploadErrors.networkError],
  ['TIMEOUT', {}, 'The upload timed out. Please try again later.', messages.ja.uploadErrors.timeout],
  ['FORBIDDEN', { status: 403 }, 'You can’t upload here.', messages.ja.uploadErrors.permissionDenied],
  ['UNKNOWN', {}, 'The upload failed. Please try again.', messages.ja.uploadErrors.unknown],
];

/** Codes with their own message, because the message of their category would be wrong or lack the file name. */
const byCode: typeof byCategory = [
  [
    'QUOTA_EXCEEDED',
    { status: 507 },
    'The server has no space for this file right now.',
    messages.ja.apiErrors.QUOTA_EXCEEDED,
  ],
  [
    'SERVICE_UNAVAILABLE',
    { status: 503 },
    'The service is temporarily unavailable. Please try again in a moment.',
    messages.ja.apiErrors.SERVICE_UNAVAILABLE,
  ],
  [
    'RATE_LIMITED',
    { status: 429 },
    'Too many requests from your network. Please try again later.',
    messages.ja.apiErrors.RATE_LIMITED,
  ],
  [
    'ENCRYPTION_REQUIRED',
    { status: 400 },
    'This server only accepts encrypted files.',
    messages.ja.apiErrors.ENCRYPTION_REQUIRED,
  ],
  [
    'STORAGE_ERROR',
    { status: 403 },
    'a.txt: a part couldn’t be uploaded (HTTP status 403). Please try again.',
    messages.ja.home.failed.part.replace('{{name}}', 'a.txt').replace('{{status}}', '403'),
  ],
  [
    'INTERNAL',
    { status: 500 },
    'The upload failed (HTTP status 500). Please try again.',
    messages.ja.home.failed.server.replace('{{status}}', '500'),
  ],
  [
    'INVALID_URL',
    {},
    'The server sent an invalid upload URL. Please try again later.',
    messages.ja.home.failed.address,
  ],
  ['FILE_UNREADABLE', {}, 'a.txt: can’t be read', messages.ja.home.refused.unreadable.replace('{{name}}', 'a.txt')],
];

it.each([...byCategory, ...byCode])('shows %s with %o as: %s', (code, details, english, japanese) => {
  const failed = failedUpload(code, details);
  expect([uploadErrorText(en, failed), uploadErrorText(ja, failed)]).toEqual([english, japanese]);
});

it('covers every category', () => {
  const texts = new Set(byCategory.map(([code, details]) => uploadErrorText(ja, failedUpload(code, details))));
  expect(texts.size).toBe(UPLOAD_CATEGORIES.length + 1);
});
