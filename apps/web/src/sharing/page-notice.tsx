// Shows whether a deletion succeeded.
import { shownName } from '@furoshiki/format';
import type { PageState } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { Notice } from '../ui/notice.tsx';

export function PageNotice({ notice }: { notice: PageState['notice'] }) {
  const { t } = useTranslation();
  if (!notice) return null;
  if (notice.kind === 'allDeleted') return <Notice kind="good">{t('download.allDeleted')}</Notice>;
  if (notice.kind === 'someNotDeleted')
    return <Notice kind="bad">{t('download.someNotDeleted', { count: notice.count })}</Notice>;
  const isDone = notice.kind === 'deleted';
  return (
    <Notice kind={isDone ? 'good' : 'bad'}>
      {t(isDone ? 'download.deleted' : 'download.deleteFailed', { name: shownName(notice.fileName) })}
    </Notice>
  );
}
