// What a recipient is told of a download that failed.
import { downloadCategory, type Failure } from '@furoshiki/core';
import type { TFunction } from 'i18next';

export function downloadErrorText(t: TFunction, failure: Failure): string {
  // Its category asks to try again, which at once would be refused again.
  if (failure.code === 'RATE_LIMITED') return t('apiErrors.RATE_LIMITED');
  return t(`downloadErrors.${downloadCategory(failure)}`);
}
