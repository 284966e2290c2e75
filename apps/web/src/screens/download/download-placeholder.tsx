// The download screen while its code or its files are loading.
import { useTranslation } from 'react-i18next';
import { Loading } from '../../ui/loading.tsx';

interface DownloadPlaceholderProps {
  isSender?: boolean;
  isWaitingForNetwork?: boolean;
}

export function DownloadPlaceholder({ isSender = false, isWaitingForNetwork = false }: DownloadPlaceholderProps) {
  const { t } = useTranslation();
  return (
    <>
      {!isSender && <p>{t('head.download.description')}</p>}
      <Loading label={t(isWaitingForNetwork ? 'progress.waitingForNetwork' : 'startUp.loading')} />
    </>
  );
}
