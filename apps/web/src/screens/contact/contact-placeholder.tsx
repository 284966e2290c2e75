// The contact screen while it is loading.
import { useTranslation } from 'react-i18next';
import { Loading } from '../../ui/loading.tsx';

export function ContactPlaceholder() {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('contact.title')}</h1>
      <p>{t('contact.lead')}</p>
      <Loading label={t('startUp.loading')} />
    </>
  );
}
