// One file of a page: its name and size, the buttons that download and delete it, and its progress.
import { downloadCategory, type PageFile } from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import { type DownloadProgress, downloadProgress, type FileState, isUsedUp } from '@furoshiki/transfer';
import type { TFunction } from 'i18next';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { TransferPanel, type TransferPanelProps } from '../../../transfer/panel/transfer-panel.tsx';
import { buttonClass } from '../../../ui/buttons/button.tsx';
import { ConfirmButton } from '../../../ui/buttons/confirm-button.tsx';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { Icon } from '../../../ui/icon.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useLasting } from '../../../ui/hooks/use-lasting.ts';
import { useFocusFallback } from '../../../ui/hooks/use-focus-fallback.ts';
import { downloadErrorText } from '../download-error-text.ts';
import rowStyles from '../../../ui/styles/row.module.css';
import styles from '../download.module.css';
import { KeyHelp } from '../key/key-help.tsx';
import { SaveAgain } from '../save-again.tsx';
import { QueuePosition } from './queue-position.tsx';
import type { FileRowProps } from './row-of.ts';

/** A small file is complete before its progress could be read, and among many files each panel costs more than the file. */
const PANEL_AFTER_MS = 400;

/** Memoised, because there may be a thousand rows. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { file, state, engine, isSender } = props;
  const { t, i18n } = useTranslation();
  const progress = progressOf(state);
  const failure = state.phase === 'failed' ? state.failure : undefined;
  const category = failure && downloadCategory(failure);
  const name = shownName(file.fileName);
  const row = useFocusFallback<HTMLLIElement>(state.phase);
  // A received file may wait until the ones before it are saved. That is not shown as progress.
  const isMoving = progress !== undefined && progress.percent < 100;
  const hasLasted = useLasting(progress !== undefined, PANEL_AFTER_MS, isMoving);
  return (
    <li ref={row} tabIndex={-1} className={styles.file}>
      <div className={styles.row}>
        <div className={styles.about}>
          <span className={rowStyles.name}>{name}</span>
          <span className={rowStyles.facts}>
            <span>{formatBytes(file.fileSize, i18n.language)}</span>
            <span aria-live={isSender ? 'polite' : 'off'}>
              {isSender ? downloadedText(t, file) : remainingText(t, props)}
            </span>
          </span>
        </div>
        <div className={styles.actions}>
          <DownloadButton {...props} />
          {state.phase === 'queued' ? (
            <button
              type="button"
              className={buttonClass('quiet')}
              aria-label={t('download.cancelNamed', { name })}
              onClick={() => void engine.cancelFile(file.id)}
            >
              {t('home.cancel')}
            </button>
          ) : (
            <ConfirmButton
              shape="bare"
              aria-label={t('download.deleteNamed', { name })}
              question={t('download.deleteQuestion', { name })}
              confirmLabel={t('download.delete')}
              cancelLabel={t('download.keep')}
              isDisabled={!props.canDelete}
              onConfirm={() => void engine.remove(file.id)}
            >
              <Icon name="trash" />
            </ConfirmButton>
          )}
        </div>
      </div>
      {props.isLargeForMemory && <Notice kind="bad">{t('download.inMemory')}</Notice>}
      {failure && <Notice kind="bad">{downloadErrorText(t, failure)}</Notice>}
      {(category === 'invalidKey' || category === 'decryptionFailed') && <KeyHelp />}
      {state.phase === 'cancelled' && <Notice kind="plain">{t('downloadErrors.downloadCancelled')}</Notice>}
      {state.phase === 'complete' && <SaveAgain name={name} save={props.saveAgain(file.id)} />}
      {progress && (hasLasted || props.isOnlyFile) && (
        <TransferPanel
          {...progress}
          direction="down"
          isWaitingForNetwork={props.isWaitingForNetwork}
          onCancel={progress.phase === 'finishing' ? undefined : () => void engine.cancelFile(file.id)}
        />
      )}
    </li>
  );
});

function DownloadButton(props: FileRowProps) {
  const { t } = useTranslation();
  const { file, state, engine, askForKey } = props;
  const text = buttonText(t, props);
  return (
    <button
      type="button"
      // If there are several files, the button for all of them is the main one.
      className={buttonClass(props.isOnlyFile && !props.isSender ? 'main' : 'plain')}
      // Screen readers need the file name, because "Download" is ambiguous.
      aria-label={text === undefined ? t('download.downloadNamed', { name: shownName(file.fileName) }) : undefined}
      disabled={!props.canDownload}
      onClick={askForKey ?? (() => void engine.download(file.id))}
    >
      {state.phase === 'complete' && <Icon name="check" />}
      {text ?? t('download.download')}
    </button>
  );
}

/** The counts of a file that the server no longer has are old. */
function downloadedText(t: TFunction, file: PageFile): string {
  if (isUsedUp(file)) return t('share.downloadedAll');
  return t('share.downloaded', { count: file.currentDownloads, max: file.maxDownloads });
}

function remainingText(t: TFunction, { file, state }: FileRowProps): string {
  const count = Math.max(0, file.maxDownloads - file.currentDownloads);
  if (count > 0 || state.phase === 'complete') return t('download.remaining', { count });
  return isUsedUp(file) ? t('download.usedUp') : t('download.mayContinue');
}

/** Undefined for the default text, "Download". */
function buttonText(t: TFunction, { file, state, isLimitReached }: FileRowProps): ReactNode {
  switch (state.phase) {
    case 'queued':
      return <QueuePosition id={file.id} />;
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
      return isLimitReached || isUsedUp(file) ? t('download.limitReached') : t('download.retry');
    case 'deleting':
      return t('download.deleting');
    case 'idle':
    case 'cancelled':
      return isLimitReached || isUsedUp(file) ? t('download.limitReached') : undefined;
    default:
      return state satisfies never;
  }
}

function progressOf(state: FileState): (DownloadProgress & Pick<TransferPanelProps, 'phase'>) | undefined {
  if (state.phase !== 'starting' && state.phase !== 'downloading' && state.phase !== 'finishing') return undefined;
  const progress = downloadProgress(state);
  return progress && { ...progress, phase: progress.isDecrypting ? 'decrypting' : state.phase };
}
