// A page without files: they are gone, or the link has no id.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { buttonClass } from '../../ui/buttons/button.tsx';
import { Dinosaur } from '../../ui/dinosaur/dinosaur.tsx';
import styles from './download.module.css';

interface EmptyPageProps {
  title: string;
  hint: string;
  homePath: string;
}

export function EmptyPage({ title, hint, homePath }: EmptyPageProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.empty}>
      <Dinosaur label={t('notFound.picture')} />
      <h1>{title}</h1>
      <p className={styles.soft}>{hint}</p>
      <Link href={homePath} className={buttonClass('main')}>
        {t('download.sendOwn')}
      </Link>
    </div>
  );
}
