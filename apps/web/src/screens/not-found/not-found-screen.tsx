// An address that the site does not have.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';

export function NotFoundScreen({ homePath }: { homePath: string }) {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
      <p>
        <Link href={homePath}>{t('download.back')}</Link>
      </p>
    </>
  );
}
