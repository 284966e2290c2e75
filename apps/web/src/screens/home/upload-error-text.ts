// What a sender is told of an upload that failed.
import { type Failure, limitGbOf, uploadCategory } from '@furoshiki/core';
import type { TFunction } from 'i18next';

export function uploadErrorText(t: TFunction, failure: Failure): string {
  return t(`uploadErrors.${uploadCategory(failure)}`, { size: limitGbOf(failure) });
}
