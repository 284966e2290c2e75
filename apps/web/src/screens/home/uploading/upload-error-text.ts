// What a sender is told of an upload that failed.
import { type Failure, limitGbOf, uploadCategory } from '@furoshiki/core';
import type { TFunction } from 'i18next';

interface FailedUpload {
  failure: Failure;
  /** The file that was under way. */
  fileName: string;
}

export function uploadErrorText(t: TFunction, { failure, fileName }: FailedUpload): string {
  const { code } = failure;
  if (code === 'FILE_UNREADABLE') return t('home.refused.unreadable', { name: fileName });
  // Their categories are for counting: to blame the files or to try again at once would not help.
  if (code === 'RATE_LIMITED' || code === 'QUOTA_EXCEEDED') return t(`apiErrors.${code}`);
  return t(`uploadErrors.${uploadCategory(failure)}`, { size: limitGbOf(failure) });
}
