import { Failure, type FailureCode, type FailureDetails } from '@furoshiki/api';
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { createTranslate } from '@furoshiki/texts/translate';
import { expect, it } from 'vitest';
import { downloadErrorText, keyErrorText, pageErrorText } from './download-errors.tsx';

const t = createTranslate('en', messages.en);

it.each<[FailureCode, FailureDetails, string]>([
  ['RATE_LIMITED', { status: 429 }, messages.en.apiErrors.RATE_LIMITED],
  ['SERVICE_UNAVAILABLE', { status: 503 }, messages.en.apiErrors.SERVICE_UNAVAILABLE],
  ['NOT_FOUND', { status: 404 }, messages.en.downloadErrors.notFound],
  ['UNKNOWN', {}, messages.en.downloadErrors.unknown],
  ['INTERNAL', { status: 500, during: 'fileInfo' }, 'Couldn’t load the file information (status 500).'],
  ['API_ERROR', { status: 200, during: 'fileInfo' }, 'The server didn’t send a download URL'],
  ['STORAGE_ERROR', { status: 503, during: 'storage' }, 'the file storage reported an error (status 503)'],
  ['STORAGE_ERROR', { status: 403, during: 'storage' }, 'The file storage refused the download (status 403).'],
  ['URL_EXPIRED', { status: 403, during: 'storage' }, 'The file storage refused the download (status 403).'],
])('shows %s with %o as: %s', (code, details, text) => {
  expect(downloadErrorText(t, new Failure(code, details))).toContain(text);
});

it.each<[FailureCode, FailureDetails, string]>([
  ['INTERNAL', { status: 503 }, 'Couldn’t load the list of files (status 503).'],
  ['NETWORK', {}, messages.en.downloadErrors.networkError],
  ['UNKNOWN', {}, messages.en.downloadErrors.unknown],
  ['RATE_LIMITED', { status: 429 }, messages.en.apiErrors.RATE_LIMITED],
  ['SERVICE_UNAVAILABLE', { status: 503 }, messages.en.apiErrors.SERVICE_UNAVAILABLE],
])('shows a page that failed with %s and %o as: %s', (code, details, text) => {
  expect(pageErrorText(t, new Failure(code, details))).toBe(text);
});

it.each<[FailureCode, keyof typeof messages.en.keyErrors]>([
  ['KEY_IMPORT_FAILED', 'KEY_IMPORT_FAILED'],
  ['KEY_INCORRECT', 'KEY_INCORRECT'],
  ['DECRYPTION_FAILED', 'KEY_INCORRECT'],
  ['CHUNK_SIZE_INVALID', 'format'],
  ['NETWORK', 'network'],
  ['TIMEOUT', 'network'],
  ['SERVICE_UNAVAILABLE', 'network'],
  ['INTERNAL', 'unknown'],
  ['UNKNOWN', 'unknown'],
])('a key whose check ended with %s is not called wrong for nothing: %s', (code, text) => {
  expect(keyErrorText(t, new Failure(code))).toBe(messages.en.keyErrors[text]);
});

it.each(languages)('names the status in %s', (language) => {
  const translate = createTranslate(language, messages[language]);
  for (const during of ['fileInfo', 'storage'] as const)
    expect(downloadErrorText(translate, new Failure('INTERNAL', { status: 599, during }))).toContain('599');
  expect(downloadErrorText(translate, new Failure('STORAGE_ERROR', { status: 403 }))).toContain('403');
  expect(pageErrorText(translate, new Failure('INTERNAL', { status: 599 }))).toContain('599');
});
