// The download screen while its code or its files are loading.
import { useTranslation } from 'react-i18next';
import { Loading } from '../../ui/loading.tsx';

export function DownloadPlaceholder({ isWaitingForNetwork = false }: { isWaitingForNetwork?: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('head.download.description')}</p>
      <Loading label={t(isWaitingForNetwork ? 'progress.waitingForNetwork' : 'startUp.loading')} />
    </>
  );
}
