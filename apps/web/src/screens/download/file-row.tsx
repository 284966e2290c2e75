// One file of a page: its name and size, the buttons that download and delete it, and its progress.
import { downloadCategory, type PageFile, shownName } from '@furoshiki/core';
import {
  canDownload,
  type DownloadProgress,
  downloadProgress,
  type FileState,
  fileStateOf,
  isPageBusy,
  isUsedUp,
  queuePosition,
} from '@furoshiki/transfer';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { TransferPanel, type TransferPanelProps } from '../../transfer/panel/transfer-panel.tsx';
import { Button } from '../../ui/buttons/button.tsx';
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useFocusFallback } from '../../ui/hooks/use-focus-fallback.ts';
import { downloadErrorText } from './download-error-text.ts';
import styles from './download.module.css';
import { KeyHelp } from './key/key-help.tsx';
import { SaveAgain } from './save-again.tsx';
import type { DownloadPage } from './use-download-page.ts';

export function FileRow({ file, page }: { file: PageFile; page: DownloadPage }) {
  const { t, i18n } = useTranslation();
  const { state: pageState, engine, warnings } = page;
  const state = fileStateOf(pageState, file.id);
  const progress = progressOf(state);
  const remaining = Math.max(0, file.maxDownloads - file.currentDownloads);
  const failure = state.phase === 'failed' ? state.failure : undefined;
  const category = failure && downloadCategory(failure);
  const name = shownName(file.fileName);
  const isLargeForMemory = warnings.memoryWarningAbove !== undefined && file.fileSize > warnings.memoryWarningAbove;
  const row = useFocusFallback<HTMLLIElement>(state.phase);
  return (
    <li ref={row} tabIndex={-1} className={styles.file}>
      <div className={styles.row}>
        <div className={styles.about}>
          <span className={styles.name}>{name}</span>
          <span className={styles.facts}>
            <span>{formatBytes(file.fileSize, i18n.language)}</span>
            <span aria-live={page.isSender ? 'polite' : 'off'}>
              {page.isSender
                ? t('share.downloaded', { count: file.currentDownloads, max: file.maxDownloads })
                : t('download.remaining', { count: remaining })}
            </span>
          </span>
        </div>
        <div className={styles.actions}>
          <DownloadButton file={file} page={page} state={state} />
          {state.phase === 'queued' ? (
            <Button
              kind="quiet"
              aria-label={t('download.cancelNamed', { name })}
              onPress={() => void engine.cancelFile(file.id)}
            >
              {t('home.cancel')}
            </Button>
          ) : (
            <ConfirmButton
              shape="bare"
              aria-label={t('download.deleteNamed', { name })}
              question={t('download.deleteQuestion', { name })}
              confirmLabel={t('download.delete')}
              cancelLabel={t('download.keep')}
              isDisabled={isPageBusy(pageState)}
              onConfirm={() => void engine.remove(file.id)}
            >
              <Icon name="trash" />
            </ConfirmButton>
          )}
        </div>
      </div>
      {isLargeForMemory && <Notice kind="bad">{t('download.inMemory')}</Notice>}
      {failure && <Notice kind="bad">{downloadErrorText(t, failure)}</Notice>}
      {(category === 'invalidKey' || category === 'decryptionFailed') && <KeyHelp />}
      {state.phase === 'cancelled' && <Notice kind="bad">{t('downloadErrors.downloadCancelled')}</Notice>}
      {state.phase === 'complete' && <SaveAgain name={name} save={page.saveAgain(file.id)} />}
      {progress && (
        <TransferPanel
          {...progress}
          direction="down"
          isWaitingForNetwork={pageState.isWaitingForNetwork}
          onCancel={progress.phase === 'finishing' ? undefined : () => void engine.cancelFile(file.id)}
        />
      )}
    </li>
  );
}

interface DownloadButtonProps {
  file: PageFile;
  page: DownloadPage;
  state: FileState;
}

function DownloadButton({ file, page, state }: DownloadButtonProps) {
  const { t } = useTranslation();
  const { engine, cipherKey, isReady, state: pageState } = page;
  const text = buttonText(t, file, page, state);
  return (
    <Button
      // If there are several files, the button for all of them is the main one.
      kind={pageState.files.length > 1 ? 'plain' : 'main'}
      // Screen readers need the file name, because "Download" is ambiguous.
      {...(text === undefined ? { 'aria-label': t('download.downloadNamed', { name: shownName(file.fileName) }) } : {})}
      isDisabled={!isReady || !canDownload(pageState, file, 'click')}
      onPress={() => void engine.download(file.id, cipherKey)}
    >
      {state.phase === 'complete' && <Icon name="check" />}
      {text ?? t('download.download')}
    </Button>
  );
}

/** Undefined for the default text, "Download". */
function buttonText(t: TFunction, file: PageFile, { state: page }: DownloadPage, state: FileState): string | undefined {
  switch (state.phase) {
    case 'queued':
      return t('download.queued', { position: queuePosition(page, file.id) });
    case 'choosing':
    case 'starting':
      return t('download.downloading');
    case 'downloading':
      return downloadProgress(state)?.isDecrypting ? t('download.decrypting') : t('download.downloading');
    case 'finishing':
      return t('download.saving');
    case 'complete':
      return t('download.complete');
    case 'failed':
      return page.isLimitReached || isUsedUp(file) ? t('download.limitReached') : t('download.retry');
    case 'deleting':
      return t('download.deleting');
    case 'idle':
    case 'cancelled':
      return page.isLimitReached || isUsedUp(file) ? t('download.limitReached') : undefined;
    default:
      return state satisfies never;
  }
}

function progressOf(state: FileState): (DownloadProgress & Pick<TransferPanelProps, 'phase'>) | undefined {
  if (state.phase !== 'starting' && state.phase !== 'downloading' && state.phase !== 'finishing') return undefined;
  const progress = downloadProgress(state);
  return progress && { ...progress, phase: progress.isDecrypting ? 'decrypting' : state.phase };
}
