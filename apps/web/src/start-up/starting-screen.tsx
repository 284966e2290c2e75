// What stands in a page before it comes alive, and while the server is asked: what the screen is for.
import { type Screen, STATED_TOTAL_GB } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { Loading } from '../ui/loading.tsx';

export function StartingScreen({ name }: { name: Screen['name'] }) {
  const { t } = useTranslation();
  switch (name) {
    case 'home':
      return (
        <>
          <h1>{t('home.title')}</h1>
          <p>{t('home.lead', { size: STATED_TOTAL_GB })}</p>
          <Loading label={t('startUp.loading')} />
        </>
      );
    case 'contact':
      return (
        <>
          <h1>{t('contact.title')}</h1>
          <p>{t('contact.lead')}</p>
          <Loading label={t('startUp.loading')} />
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
    case 'content':
      return <Loading label={t('startUp.loading')} />;
  }
}
