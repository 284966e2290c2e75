// Shown on an address without HTTPS, because browsers offer no cryptography there.
import { useTranslation } from 'react-i18next';
import styles from './start-up.module.css';

export function InsecureScreen() {
  const { t } = useTranslation();
  return (
    <div role="alert">
      <h1>{t('startUp.insecureTitle')}</h1>
      <p className={styles.message}>{t('startUp.insecureText')}</p>
      <p>{t('startUp.insecureHint')}</p>
    </div>
  );
}
