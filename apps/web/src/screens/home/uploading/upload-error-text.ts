// The message for a failed upload.
import { type Failure, limitGbOf, uploadCategory, uploadErrorKind } from '@furoshiki/api';
import type { TFunction } from 'i18next';

interface FailedUpload {
  failure: Failure;
  /** The file that was being uploaded. */
  fileName: string;
}

/** The categories of these codes serve only statistics: their texts would blame the files, the sender or the network. */
const WITH_OWN_TEXT = ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE', 'ENCRYPTION_REQUIRED'] as const;

export function uploadErrorText(t: TFunction, { failure, fileName }: FailedUpload): string {
  const { code, details } = failure;
  const { status } = details;
  if (code === 'FILE_UNREADABLE') return t('home.refused.unreadable', { name: fileName });
  const own = WITH_OWN_TEXT.find((known) => known === code);
  if (own) return t(`apiErrors.${own}`);
  const kind = uploadErrorKind(code);
  if (kind === 'invalidUrl') return t('home.failed.address');
  // A status of the storage says nothing about the session or the limits of our server.
  if (kind === 'chunkUploadError' && status !== undefined) return t('home.failed.part', { name: fileName, status });
  const category = uploadCategory(failure);
  if (category === 'unknown' && status !== undefined) return t('home.failed.server', { status });
  return t(`uploadErrors.${category}`, { size: limitGbOf(failure) });
}
