// What stands in a page before it comes alive, and while the server is asked: what the screen is for.
import type { Screen } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { HomeIntro } from '../../screens/home/home-intro.tsx';
import { Loading } from '../../ui/loading.tsx';

interface Props {
  name: Screen['name'];
  isWaitingForNetwork?: boolean;
}

export function StartingScreen({ name, isWaitingForNetwork = false }: Props) {
  const { t, i18n } = useTranslation();
  const loading = <Loading label={t(isWaitingForNetwork ? 'progress.waitingForNetwork' : 'startUp.loading')} />;
  switch (name) {
    case 'home':
      return (
        <>
          <HomeIntro language={i18n.language} isAlwaysEncrypted />
          {loading}
        </>
      );
    case 'contact':
      return (
        <>
          <h1>{t('contact.title')}</h1>
          <p>{t('contact.lead')}</p>
          {loading}
        </>
      );
    case 'not-found':
      return (
        <>
          <h1>{t('notFound.title')}</h1>
          <p>{t('notFound.text')}</p>
        </>
      );
    case 'download':
      return (
        <>
          <p>{t('head.download.description')}</p>
          {loading}
        </>
      );
    case 'content':
      return loading;
  }
}
