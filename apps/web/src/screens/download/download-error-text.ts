// The message for a failed download, or for a page that could not be loaded.
import { downloadCategory, type Failure } from '@furoshiki/api';
import type { TFunction } from 'i18next';

/** The texts of their categories ask for an immediate retry, or blame the network. */
const WITH_OWN_TEXT = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;

export function downloadErrorText(t: TFunction, failure: Failure): string {
  const own = WITH_OWN_TEXT.find((code) => code === failure.code);
  if (own) return t(`apiErrors.${own}`);
  return t(`downloadErrors.${downloadCategory(failure)}`, { status: failure.details.status });
}

export function pageErrorText(t: TFunction, failure: Failure): string {
  const { status } = failure.details;
  if (status === undefined || WITH_OWN_TEXT.some((code) => code === failure.code)) return downloadErrorText(t, failure);
  return t('download.loadFailed', { status });
}
