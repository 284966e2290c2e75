// The title of a sent page: the name of its first file, and how many more there are.
import { shownName } from '@furoshiki/format';
import type { TFunction } from 'i18next';
import type { SentPage } from '../../../services.ts';

export function titleOf(t: TFunction, { fileName, fileCount }: SentPage): string {
  const name = shownName(fileName);
  return fileCount === 1 ? name : t('sent.title', { name, count: fileCount - 1 });
}
