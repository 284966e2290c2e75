// One file: what it is, a button that fetches it, and how far that is.
import { type CipherKey, downloadCategory, type PageFile } from '@furoshiki/core';
import { type DownloadEngine, downloadProgress, type DownloadState, isDownloadRunning } from '@furoshiki/transfer';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';
import { TransferPanel } from '../../transfer-panel/transfer-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Notice } from '../../ui/notice.tsx';
import { useEngine } from '../../use-engine.ts';
import styles from './download.module.css';

interface FileRowProps {
  file: PageFile;
  /** Undefined until a key that fits was entered. */
  cipherKey: CipherKey | undefined;
  isBlocked: boolean;
  onRunning: (isRunning: boolean) => void;
  onComplete: () => void;
}

export function FileRow({ file, cipherKey, isBlocked, onRunning, onComplete }: FileRowProps) {
  const { t, i18n } = useTranslation();
  const services = useServices();
  const [state, engine] = useEngine<DownloadState, DownloadEngine>(services.createDownloadEngine);
  const progress = downloadProgress(state);
  const isRunning = isDownloadRunning(state);
  const left = file.maxDownloads - file.currentDownloads;
  const isUsedUp = left <= 0 && !file.granted && state.phase !== 'complete';
  /** Then the button says "Download", and of which file is told to who cannot see the row. */
  const isReady = state.phase !== 'complete' && state.phase !== 'failed' && !isUsedUp;

  const reportRunning = useEffectEvent(onRunning);
  useEffect(() => {
    reportRunning(isRunning);
  }, [isRunning]);

  async function download(key: CipherKey): Promise<void> {
    await engine.start({ file, key });
    if (engine.getState().phase === 'complete') onComplete();
  }

  return (
    <li className={styles.file}>
      <div className={styles.facts}>
        <span className={styles.name}>{file.fileName}</span>
        <span className={styles.size}>{formatBytes(file.fileSize, i18n.language)}</span>
        <span className={styles.size}>{t('download.remaining', { count: Math.max(0, left) })}</span>
      </div>
      {state.phase === 'failed' && <Notice kind="bad">{t(`downloadErrors.${downloadCategory(state.failure)}`)}</Notice>}
      {state.phase === 'cancelled' && <Notice kind="bad">{t('downloadErrors.downloadCancelled')}</Notice>}
      {isRunning && progress ? (
        <TransferPanel
          {...progress}
          phase={state.phase as 'starting' | 'downloading' | 'finishing'}
          onCancel={state.phase === 'finishing' ? undefined : () => void engine.cancel()}
        />
      ) : (
        <Button
          kind="main"
          {...(isReady ? { 'aria-label': t('download.downloadNamed', { name: file.fileName }) } : {})}
          isDisabled={isUsedUp || isBlocked || cipherKey === undefined || state.phase === 'complete'}
          onPress={() => {
            if (cipherKey) void download(cipherKey);
          }}
        >
          {buttonText()}
        </Button>
      )}
    </li>
  );

  function buttonText(): string {
    if (state.phase === 'complete') return t('download.complete');
    if (isUsedUp) return t('download.limitReached');
    return state.phase === 'failed' ? t('download.retry') : t('download.download');
  }
}
