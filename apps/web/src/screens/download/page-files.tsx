// The files of a page behind one key field, which every file shares, and what can be done with all of them.
import { downloadCategory } from '@furoshiki/core';
import { isArchiveRunning, isPageBusy } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { TransferPanel } from '../../transfer-panel/transfer-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { useServices } from '../../services.ts';
import styles from './download.module.css';
import { FileRow } from './file-row.tsx';
import { KeyHelp, keyErrorText } from './key-help.tsx';
import type { DownloadPage } from './use-download-page.ts';

const ARCHIVE_NAME = 'furoshiki.zip';

export function PageFiles({ page, link }: { page: DownloadPage; link: string }) {
  const { t, i18n } = useTranslation();
  const { copyText } = useServices();
  const { state, engine, check, cipherKey, isReady } = page;
  const { archive, deletion } = state;
  const firstEnd = Math.min(...state.files.map((file) => file.expiresAt));
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeStyle: 'short' }).format(
    firstEnd * 1000,
  );
  return (
    <>
      <h1>{t('download.title')}</h1>
      <p>{t('download.deletedAt', { date })}</p>
      {page.limits.isInApp && (
        <Notice kind="bad">
          {t('download.inApp')} <Button onPress={() => void copyText(link)}>{t('share.copyLink')}</Button>
        </Notice>
      )}
      {state.isLimitReached && <Notice kind="bad">{t('download.limitReachedAll')}</Notice>}
      {!page.hasEncrypted && <Notice kind="bad">{t('download.notEncrypted')}</Notice>}
      {page.wantsKey && (
        <SecretField
          label={t('download.key')}
          hint={t('download.keyHint')}
          error={check.phase === 'refused' ? keyErrorText(t, check.failure) : undefined}
          value={page.typed}
          onChange={page.setTyped}
          showLabel={t('share.showKey')}
          hideLabel={t('share.hideKey')}
        />
      )}
      <p aria-live="polite" className={styles.keyFits}>
        {check.phase === 'fits' ? t('download.keyFits') : ''}
      </p>
      {check.phase === 'refused' && <KeyHelp />}
      <div className={styles.actions}>
        {state.files.length > 1 && (
          <>
            <Button
              isDisabled={!isReady || state.isLimitReached || isArchiveRunning(archive) || deletion !== undefined}
              onPress={() => void engine.downloadAll(cipherKey)}
            >
              {t('download.downloadAll')}
            </Button>
            <Button
              isDisabled={!isReady || state.isLimitReached || isPageBusy(state)}
              onPress={() => void engine.downloadArchive(ARCHIVE_NAME, cipherKey)}
            >
              {t('download.downloadZip')}
            </Button>
          </>
        )}
        <ConfirmButton
          question={t('download.deleteAllQuestion')}
          confirmLabel={t('download.deleteAll')}
          cancelLabel={t('download.keep')}
          isDisabled={isPageBusy(state)}
          onConfirm={() => void engine.removeAll()}
        >
          {deletion
            ? t('download.deletingAll', { percent: Math.floor((deletion.done / deletion.total) * 100) })
            : t('download.deleteAll')}
        </ConfirmButton>
      </div>
      {archive.phase === 'failed' && (
        <Notice kind="bad">{t(`downloadErrors.${downloadCategory(archive.failure)}`)}</Notice>
      )}
      {archive.phase === 'cancelled' && <Notice kind="bad">{t('downloadErrors.downloadCancelled')}</Notice>}
      {archive.phase === 'complete' && <Notice kind="good">{t('download.zipSaved')}</Notice>}
      {(archive.phase === 'running' || archive.phase === 'finishing') && (
        <TransferPanel
          {...archive.progress}
          phase={archive.phase === 'running' ? 'downloading' : 'finishing'}
          isCutOff={state.isCutOff}
          percent={(archive.progress.loadedBytes / archive.progress.totalBytes) * 100}
          onCancel={archive.phase === 'running' ? () => void engine.cancelArchive() : undefined}
        />
      )}
      <ul className={styles.files}>
        {state.files.map((file) => (
          <FileRow key={file.id} file={file} page={page} />
        ))}
      </ul>
    </>
  );
}
