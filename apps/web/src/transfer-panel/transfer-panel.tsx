// The progress of a transfer, up or down: what is happening, how far it is, and a way to stop it.
import { useTranslation } from 'react-i18next';
import { Label, ProgressBar } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/format-bytes.ts';
import styles from './transfer-panel.module.css';

export interface TransferPanelProps {
  phase:
    | 'uploading'
    | 'verifying'
    | 'completing'
    | 'cancelling'
    | 'starting'
    | 'downloading'
    | 'decrypting'
    | 'finishing';
  fileName: string;
  percent: number;
  loadedBytes: number;
  totalBytes: number;
  currentPart?: number;
  totalParts?: number;
  currentFile?: number;
  totalFiles?: number;
  /** It waits for the network. */
  isCutOff?: boolean;
  onCancel?: (() => void) | undefined;
}

export function TransferPanel(props: TransferPanelProps) {
  const { t, i18n } = useTranslation();
  const bytes = (count: number) => formatBytes(count, i18n.language);
  return (
    <section className={styles.panel}>
      <p className={styles.phase} aria-live="polite">
        {props.isCutOff && props.phase !== 'cancelling'
          ? t('progress.waitingForNetwork')
          : t(`progress.${props.phase}`)}
      </p>
      <ProgressBar value={props.percent} className={styles.progress ?? ''}>
        {({ percentage }) => (
          <>
            <Label className={styles.name ?? ''}>{props.fileName}</Label>
            <span className={styles.percent}>{t('progress.percent', { percent: Math.floor(percentage ?? 0) })}</span>
            <div className={styles.track}>
              <div className={styles.fill} style={{ width: `${percentage ?? 0}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
      <div className={styles.facts}>
        {props.totalParts !== undefined && (
          <span>{t('progress.part', { current: props.currentPart, total: props.totalParts })}</span>
        )}
        {props.totalFiles !== undefined && props.totalFiles > 1 && (
          <span>{t('progress.file', { current: props.currentFile, total: props.totalFiles })}</span>
        )}
        <span>{t('progress.bytes', { loaded: bytes(props.loadedBytes), total: bytes(props.totalBytes) })}</span>
        {props.onCancel && (
          <Button kind="quiet" onPress={props.onCancel} isDisabled={props.phase === 'cancelling'}>
            {t('home.cancel')}
          </Button>
        )}
      </div>
    </section>
  );
}
