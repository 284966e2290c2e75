// The home screen while it is loading: its introduction, which search engines read too.
import { useTranslation } from 'react-i18next';
import { Loading } from '../../ui/loading.tsx';
import { HomeIntro } from './home-intro.tsx';

export function HomePlaceholder() {
  const { t, i18n } = useTranslation();
  return (
    <>
      <HomeIntro language={i18n.language} isAlwaysEncrypted={false} />
      <Loading label={t('startUp.loading')} />
    </>
  );
}
