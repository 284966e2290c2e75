// What the key reveals about the page: the sender's note, files that are missing, and tampering.
import { type PageState, missingCount } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/notice.tsx';
import styles from './download.module.css';
import type { DownloadPage } from './use-download-page.ts';

export function OpenedNotices({ page: { state, check, tampering } }: { page: DownloadPage }) {
  const { t } = useTranslation();
  if (tampering !== undefined)
    return (
      <Notice kind="bad">
        <p>
          <strong>{t('tampering.title')}</strong> {t(`tampering.${tampering}`)}
        </p>
        <p>{t('tampering.advice')}</p>
      </Notice>
    );
  if (check.phase !== 'fits') return null;
  return (
    <>
      <SenderNote state={state} />
      <Missing state={state} />
    </>
  );
}

function SenderNote({ state: { list } }: { state: PageState }) {
  const { t } = useTranslation();
  const { title = '', message = '' } = list ?? {};
  if (title === '' && message === '') return null;
  return (
    <section className={styles.note} aria-label={t('download.fromSender')}>
      <p className={styles.soft}>{t('download.fromSender')}</p>
      {title !== '' && (
        <h2 dir="auto" className={styles.noteTitle}>
          {title}
        </h2>
      )}
      {message !== '' && (
        <p dir="auto" className={styles.noteText}>
          {message}
        </p>
      )}
    </section>
  );
}

function Missing({ state }: { state: PageState }) {
  const { t } = useTranslation();
  const missing = missingCount(state);
  const count = state.files.length;
  if (missing === undefined)
    return state.files.some((file) => file.format === 2) ? <Notice kind="plain">{t('download.noList')}</Notice> : null;
  if (missing === 0) return null;
  return <Notice kind="plain">{t('download.stillHere', { count, total: count + missing })}</Notice>;
}
