import { Failure, type FailureCode } from '@furoshiki/core';
import { messages } from '@furoshiki/locales/messages';
import { createInstance } from 'i18next';
import { expect, it } from 'vitest';
import { downloadErrorText } from './download-error-text.ts';

const i18n = createInstance();
await i18n.init({ lng: 'ja', resources: { ja: { translation: messages.ja } } });

it.each<[FailureCode, number, string]>([
  ['RATE_LIMITED', 429, messages.ja.apiErrors.RATE_LIMITED],
  ['NOT_FOUND', 404, messages.ja.downloadErrors.notFound],
  ['INTERNAL', 500, messages.ja.downloadErrors.unknown],
])('shows %s with status %d as: %s', (code, status, text) => {
  expect(downloadErrorText(i18n.t, new Failure(code, { status }))).toBe(text);
});
