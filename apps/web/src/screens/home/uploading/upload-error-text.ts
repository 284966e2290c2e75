// The message for a failed upload.
import { type Failure, limitGbOf, uploadCategory } from '@furoshiki/core';
import type { TFunction } from 'i18next';

interface FailedUpload {
  failure: Failure;
  /** The file that was being uploaded. */
  fileName: string;
}

export function uploadErrorText(t: TFunction, { failure, fileName }: FailedUpload): string {
  const { code } = failure;
  if (code === 'FILE_UNREADABLE') return t('home.refused.unreadable', { name: fileName });
  // The categories of these codes serve only statistics: their texts would blame the files or ask for a retry, which
  // does not help.
  if (code === 'RATE_LIMITED' || code === 'QUOTA_EXCEEDED') return t(`apiErrors.${code}`);
  return t(`uploadErrors.${uploadCategory(failure)}`, { size: limitGbOf(failure) });
}
