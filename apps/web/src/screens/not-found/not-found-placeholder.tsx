// The text of the not-found screen without its drawing, which is loaded on demand.
import { useTranslation } from 'react-i18next';

export function NotFoundPlaceholder() {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
    </>
  );
}
