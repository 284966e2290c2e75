// The message for a failed download, or for a page that could not be loaded.
import { downloadCategory, type Failure } from '@furoshiki/core';
import type { TFunction } from 'i18next';

export function downloadErrorText(t: TFunction, failure: Failure): string {
  // The text of its category asks for a retry, and an immediate retry would be refused again.
  if (failure.code === 'RATE_LIMITED') return t('apiErrors.RATE_LIMITED');
  return t(`downloadErrors.${downloadCategory(failure)}`, { status: failure.details.status });
}

export function pageErrorText(t: TFunction, failure: Failure): string {
  const { status } = failure.details;
  if (status === undefined || failure.code === 'RATE_LIMITED') return downloadErrorText(t, failure);
  return t('download.loadFailed', { status });
}
