// The files of a page, the key field that all of them share, and the actions for all files.
import { isPageBusy } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { firstExpiry, formatDate, formatTimeUntil } from '../../sharing/format-date.ts';
import { useServices } from '../../services.ts';
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/hooks/use-now.ts';
import { AllFiles } from './all-files.tsx';
import styles from './download.module.css';
import { FileRow } from './file-row/file-row.tsx';
import { QueuePositions } from './file-row/queue-position.tsx';
import { rowOf } from './file-row/row-of.ts';
import { KeyEntry } from './key/key-entry.tsx';
import { OpenedNotices } from './opened-notices.tsx';
import { ReportButton } from './report/report-button.tsx';
import type { DownloadPage } from './use-download-page.ts';

interface PageFilesProps {
  page: DownloadPage;
  pageId: string;
  /** The link as the user opened it, with the key if it had one. */
  link: string;
}

export function PageFiles({ page, pageId, link }: PageFilesProps) {
  const { t, i18n } = useTranslation();
  const { copyText } = useServices();
  const { state, engine } = page;
  const { deletion } = state;
  const nowMs = useNow();
  const totalBytes = state.files.reduce((sum, file) => sum + file.fileSize, 0);
  const expiry = firstExpiry(state.files);
  const hasActions = state.files.length > 1 && !page.isLocked;
  // The sender's page already has an h1 above.
  const Title = page.isSender ? 'h2' : 'h1';
  const ownTitle = page.isOldSender ? t('share.sent') : t('share.status');
  return (
    <>
      <Title>{page.isOwn ? ownTitle : t('download.title')}</Title>
      {page.isLocked && (
        <p className={styles.total}>
          {t('download.hiddenFiles', { count: state.files.length, size: formatBytes(totalBytes, i18n.language) })}
        </p>
      )}
      {!page.isLocked && state.files.length > 1 && (
        <p className={styles.total}>
          {t('home.count', { count: state.files.length })} · {formatBytes(totalBytes, i18n.language)}
        </p>
      )}
      {expiry !== undefined && (
        <p className={styles.soft}>
          {t('download.deletedAt', { date: formatDate(expiry, i18n.language) })} (
          {formatTimeUntil(expiry - nowMs / 1000, i18n.language)})
        </p>
      )}
      {page.warnings.isInApp && (
        <Notice kind="bad">
          <p>{t('download.inApp')}</p>
          {/* The sender has the link in the share box above. */}
          {!page.isSender && (
            <CopyField
              label={t('share.link')}
              displayText={link}
              copyLabel={t('share.copyLink')}
              copiedLabel={t('share.copied')}
              failedLabel={t('share.copyFailed')}
              onCopy={() => copyText(link)}
            />
          )}
        </Notice>
      )}
      {state.isLimitReached && <Notice kind="bad">{t('download.limitReachedAll')}</Notice>}
      {!page.hasEncrypted && <Notice kind="bad">{t('download.notEncrypted')}</Notice>}
      {page.isOldSender && page.needsKey && (
        <Notice kind="plain">
          <p>
            <strong>{t('share.keyGone')}</strong>
          </p>
          <p>{t('share.keyGoneHint')}</p>
        </Notice>
      )}
      {page.isLocked && page.tampering === undefined && <p className={styles.soft}>{t('download.hiddenHint')}</p>}
      {!page.isSender && <KeyEntry page={page} />}
      <OpenedNotices page={page} />
      {hasActions && !page.isSender && <AllFiles page={page} pageId={pageId} />}
      {!page.isLocked && (
        <QueuePositions queue={state.queue}>
          <ul className={styles.files}>
            {state.files.map((file) => (
              <FileRow key={file.id} {...rowOf(page, file)} />
            ))}
          </ul>
        </QueuePositions>
      )}
      {hasActions && page.isSender && <AllFiles page={page} pageId={pageId} />}
      {/* After the files: on a phone it must not be in the way of the key field. */}
      <div className={styles.deleteAll}>
        <ConfirmButton
          question={t('download.deleteAllQuestion')}
          confirmLabel={t('download.deleteAll')}
          cancelLabel={t('download.keep')}
          isDisabled={isPageBusy(state) || (page.isSender && page.isGone)}
          onConfirm={() => void engine.removeAll()}
        >
          <Icon name="trash" />
          {deletion
            ? t('download.deletingAll', { percent: Math.floor((deletion.done / deletion.total) * 100) })
            : t('download.deleteAll')}
        </ConfirmButton>
      </div>
      {!page.isOwn && <ReportButton pageId={pageId} />}
    </>
  );
}
