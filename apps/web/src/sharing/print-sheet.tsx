// What is printed of the sender's page: a sheet for the recipient. The screen does not show it.
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { QrCode } from './lazy-qr-code.ts';
import styles from './sharing.module.css';
import type { Way } from './way-choice.tsx';

interface PrintSheetProps {
  /** With the key, if `keyIs` says together. */
  link: string;
  keyIs: Way | 'none';
  deletionDate: string | undefined;
}

export function PrintSheet({ link, keyIs, deletionDate }: PrintSheetProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.sheet}>
      <h1>{t('download.title')}</h1>
      <p>{t(`share.sheet.${keyIs}`)}</p>
      <Suspense fallback={null}>
        <QrCode text={link} label={t('share.qrAlt')} />
      </Suspense>
      <p className={styles.sheetLink}>{link}</p>
      {deletionDate !== undefined && <p>{t('share.deletedAt', { date: deletionDate })}</p>}
    </div>
  );
}
