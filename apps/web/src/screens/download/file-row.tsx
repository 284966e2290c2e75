// One file of a page: its name and size, the buttons that download and delete it, and its progress.
import { downloadCategory } from '@furoshiki/api';
import { folderNameOf, shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import {
  canDownload,
  canPlay,
  canPreview,
  downloadProgress,
  type DownloadProgress,
  type FileState,
  fileStateOf,
  isPageBusy,
  isUsedUp,
  type PageEngine,
  type ShownFile,
} from '@furoshiki/transfer';
import type { Translate } from '@furoshiki/texts/translate';
import { createContext, memo, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { TransferPanel, type TransferPanelProps } from '../../transfer/transfer-panel.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { useFocusFallback, useLasting } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import { downloadErrorText, KeyHelp } from './download-errors.tsx';
import styles from './download.module.css';
import { FolderList } from './folder-list.tsx';
import type { ShownPage } from './use-download-page.ts';

/** A small file is complete before its progress could be read, and among many files each panel costs more than the file. */
const PANEL_AFTER_MS = 400;

/** Memoised, because there may be a thousand rows. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { file, state, engine, isSender } = props;
  const { t, language } = useTranslation();
  const progress = progressOf(state);
  const failure = state.phase === 'failed' ? state.failure : undefined;
  const category = failure && downloadCategory(failure);
  const folder = file.opened?.details.folder;
  const name = shownNameOf(file);
  const row = useFocusFallback<HTMLLIElement>(state.phase);
  // A received file may wait until the ones before it are saved. That is not shown as progress.
  const isMoving = progress !== undefined && progress.percent < 100;
  const hasLasted = useLasting(progress !== undefined, PANEL_AFTER_MS, isMoving);
  return (
    <li ref={row} tabIndex={-1} className={styles.file}>
      <div className={styles.row}>
        <div className={styles.about}>
          <span className="row-name">{name}</span>
          <span className="row-facts">
            {folder && <span>{t('download.folder', { count: folder.files })}</span>}
            <span>{formatBytes(file.fileSize, language)}</span>
            <span aria-live={isSender ? 'polite' : 'off'}>
              {isSender ? downloadedText(t, file) : remainingText(t, props)}
            </span>
          </span>
        </div>
        <div className={styles.actions}>
          <DownloadButton {...props} />
          {props.open && (
            <button
              type="button"
              className={buttonClass('plain')}
              aria-label={t('preview.openNamed', { name })}
              onClick={() => props.open?.(file)}
            >
              {t('preview.open')}
            </button>
          )}
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
      {state.phase === 'complete' && folder && <FolderList folder={props.savedFolder(file.id)} />}
      {progress && (hasLasted || props.isOnlyFile) && (
        <TransferPanel
          {...progress}
          direction="down"
          currentFile={props.position}
          totalFiles={props.fileCount}
          isWaitingForNetwork={props.isWaitingForNetwork}
          onCancel={progress.phase === 'finishing' ? undefined : () => void engine.cancelFile(file.id)}
        />
      )}
    </li>
  );
});

/** A folder has its own name, not that of its archive. */
export function shownNameOf({ fileName, opened }: ShownFile): string {
  return shownName(opened?.details.folder ? folderNameOf(fileName) : fileName);
}

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
      aria-label={text === undefined ? t('download.downloadNamed', { name: shownNameOf(file) }) : undefined}
      disabled={!props.canDownload}
      onClick={askForKey ?? (() => void engine.download(file.id))}
    >
      {state.phase === 'complete' && <Icon name="check" />}
      {text ?? t('download.download')}
    </button>
  );
}

/** The counts of a file that the server no longer has are old. */
function downloadedText(t: Translate, file: ShownFile): string {
  if (isUsedUp(file)) return t('share.downloadedAll');
  return t('share.downloaded', { count: file.currentDownloads, max: file.maxDownloads });
}

function remainingText(t: Translate, { file, state }: FileRowProps): string {
  const count = Math.max(0, file.maxDownloads - file.currentDownloads);
  if (count > 0 || state.phase === 'complete') return t('download.remaining', { count });
  return isUsedUp(file) ? t('download.usedUp') : t('download.mayContinue');
}

/** Undefined for the default text, "Download". */
function buttonText(t: Translate, { file, state, isLimitReached }: FileRowProps): ReactNode {
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

interface FileRowProps {
  file: ShownFile;
  state: FileState;
  engine: PageEngine;
  /** Instead of a download. Undefined if the key is there, or if there is none. */
  askForKey: (() => void) | undefined;
  saveAgain: ShownPage['saveAgain'];
  savedFolder: ShownPage['savedFolder'];
  isSender: boolean;
  isOnlyFile: boolean;
  /** From 1. */
  position: number;
  fileCount: number;
  isLargeForMemory: boolean;
  canDownload: boolean;
  /** Shows the file in place. Undefined if it cannot be shown. */
  open: ((file: ShownFile) => void) | undefined;
  canDelete: boolean;
  isLimitReached: boolean;
  isWaitingForNetwork: boolean;
}

/**
 * What a row needs of its page. Each value stays the same while the row looks the same, so that a change of one file
 * draws one row: with a thousand files, drawing all of them takes longer than a download.
 */
export function rowOf(page: ShownPage, file: ShownFile, index: number): FileRowProps {
  const { state, engine, access } = page;
  const { memoryWarningAbove = Number.POSITIVE_INFINITY } = page.warnings;
  return {
    file,
    state: fileStateOf(state, file.id),
    engine,
    askForKey: access.kind === 'key-wanted' ? access.ask : undefined,
    saveAgain: page.saveAgain,
    savedFolder: page.savedFolder,
    isSender: page.viewer === 'sender',
    isOnlyFile: state.files.length === 1,
    position: index + 1,
    fileCount: state.files.length,
    isLargeForMemory: file.fileSize > memoryWarningAbove,
    canDownload: access.kind !== 'closed' && canDownload(state, file, 'click'),
    open: canOpen(page, file) ? page.preview.open : undefined,
    canDelete: !isPageBusy(state),
    isLimitReached: state.isLimitReached,
    isWaitingForNetwork: state.isWaitingForNetwork,
  };
}

/** Senders have their files. */
export function canOpen({ state, access, viewer }: ShownPage, file: ShownFile): boolean {
  return access.kind === 'open' && viewer !== 'sender' && (canPreview(state, file) || canPlay(state, file));
}

/** A long queue moves on several times a second, and drawing a thousand positions takes longer than a download. */
const LONG_QUEUE = 50;
const REFRESH_MS = 2000;

const Positions = createContext<ReadonlyMap<string, number>>(new Map());

/**
 * The position of a waiting file. It changes for all waiting files whenever one of them begins, so only this text is
 * drawn then, and not the rows.
 */
export function QueuePositions({ queue, children }: { queue: readonly string[]; children: ReactNode }) {
  const [kept, setKept] = useState(queue);
  const isLong = queue.length > LONG_QUEUE;
  const keep = useEffectEvent(() => setKept(queue));
  useEffect(() => {
    if (!isLong) return undefined;
    keep();
    const timer = setInterval(keep, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isLong]);
  const shown = isLong ? kept : queue;
  const positions = useMemo(() => new Map(shown.map((id, index) => [id, index + 1])), [shown]);
  return <Positions value={positions}>{children}</Positions>;
}

function QueuePosition({ id }: { id: string }) {
  const { t } = useTranslation();
  const position = useContext(Positions).get(id);
  return position === undefined ? t('home.badge.waiting') : t('download.queued', { position });
}

interface SaveAgainProps {
  name: string;
  /** Undefined if the file was certainly saved, or if the browser no longer has its bytes. */
  save: (() => void) | undefined;
}

/** A button that saves a downloaded file again, because the browser may have dropped it without an error. */
export function SaveAgain({ name, save }: SaveAgainProps) {
  const { t } = useTranslation();
  return (
    save && (
      <div className={styles.saveAgain}>
        {t('download.notThere')}
        <Button kind="quiet" aria-label={t('download.saveAgainNamed', { name })} onPress={save}>
          {t('download.saveAgain')}
        </Button>
      </div>
    )
  );
}
