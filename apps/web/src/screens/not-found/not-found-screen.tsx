// The screen for an unknown address.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { buttonClass } from '../../ui/button.tsx';
import { Dinosaur } from '../../ui/dinosaur.tsx';
import styles from './not-found.module.css';

export function NotFoundScreen({ homePath }: { homePath: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.screen}>
      <Dinosaur label={t('notFound.picture')} />
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
      <Link href={homePath} className={buttonClass('main')}>
        {t('download.back')}
      </Link>
    </div>
  );
}
