// The progress of an upload or a download, with a button that cancels it.
import { shownName } from '@furoshiki/format';
import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/buttons/button.tsx';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { Cloth } from '../cloth/cloth.tsx';
import { type Amount, HISTORY_LENGTH, estimate, type Speed, roundTime } from '@furoshiki/transfer';
import { Sparkline } from './sparkline.tsx';
import hiddenStyles from '../../ui/styles/visually-hidden.module.css';
import styles from './transfer-panel.module.css';
import { useCyclingMessage } from './use-cycling-message.ts';
import { useSpeed } from './use-speed.ts';
import { useTabProgress } from './use-tab-progress.ts';

export interface TransferPanelProps {
  /** An upload wraps the cloth, a download unwraps it. */
  direction: 'up' | 'down';
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
  /** The part of `loadedBytes` that an earlier tab had already sent. */
  arrivedBytes?: number;
  totalBytes: number;
  currentPart?: number;
  totalParts?: number;
  currentFile?: number;
  totalFiles?: number;
  isWaitingForNetwork?: boolean;
  isWaitingForSignIn?: boolean;
  onCancel?: (() => void) | undefined;
}

export function TransferPanel(props: TransferPanelProps) {
  const { t, i18n } = useTranslation();
  const bytes = (count: number) => formatBytes(count, i18n.language);
  const { arrivedBytes = 0, currentFile = 1, totalFiles = 1 } = props;
  // Bytes that were sent earlier would distort the speed.
  const speed = useSpeed({ bytes: props.loadedBytes - arrivedBytes, files: currentFile - 1 });
  const nameId = useId();
  const wholePercent = Math.floor(props.percent);
  const percentText = t('progress.percent', { percent: wholePercent });
  const isCancelling = props.phase === 'cancelling';
  useTabProgress(props.percent);
  const finished = isCancelling ? 0 : props.percent / 100;
  return (
    <section className={styles.panel}>
      <Cloth wrapped={props.direction === 'up' ? finished : 1 - finished} />
      <div className={styles.body}>
        <p className={styles.phase} aria-live="polite">
          {t(`progress.${isCancelling ? props.phase : (waitOf(props) ?? props.phase)}`)}
        </p>
        <div
          className={styles.progress}
          role="progressbar"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={wholePercent}
          aria-valuetext={percentText}
        >
          <span id={nameId} className={styles.name}>
            {shownName(props.fileName)}
          </span>
          <span className={styles.percent}>{percentText}</span>
          <div className={styles.track}>
            <div className={styles.fill} style={{ transform: `scaleX(${props.percent / 100})` }} />
          </div>
        </div>
        <div className={styles.facts}>
          {props.totalParts !== undefined && (
            <span>{t('progress.part', { current: props.currentPart, total: props.totalParts })}</span>
          )}
          {props.totalFiles !== undefined && (
            <span>{t('progress.file', { current: currentFile, total: totalFiles })}</span>
          )}
          <Sparkline values={speed.history} length={HISTORY_LENGTH} />
        </div>
        <div className={styles.bytes}>
          {t('progress.bytes', { loaded: bytes(props.loadedBytes), total: bytes(props.totalBytes) })}
        </div>
        <SpeedLine speed={speed} total={{ bytes: props.totalBytes - arrivedBytes, files: totalFiles - 1 }} />
        <ProgressAnnouncement percent={props.percent} />
        <div className={styles.footer}>
          <PassingMessage isCancelling={isCancelling} />
          {props.onCancel && (
            <Button kind="quiet" onPress={props.onCancel} isDisabled={isCancelling}>
              {t('home.cancel')}
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}

/** Without the network, the server cannot learn of a sign-in either. */
function waitOf({ isWaitingForNetwork, isWaitingForSignIn }: TransferPanelProps) {
  if (isWaitingForNetwork) return 'waitingForNetwork';
  return isWaitingForSignIn ? 'waitingForSignIn' : undefined;
}

/** Keeps its height while it is empty, so that the layout does not move. */
function SpeedLine({ speed, total }: { speed: Speed; total: Amount }) {
  const { t, i18n } = useTranslation();
  const { bytesPerSecond, secondsRemaining } = estimate(speed, total);
  const remaining = secondsRemaining === undefined ? undefined : roundTime(secondsRemaining);
  return (
    <div className={styles.speed}>
      <span>
        {bytesPerSecond !== undefined &&
          t('progress.speedShort', { speed: formatBytes(bytesPerSecond, i18n.language) })}
      </span>
      <span>{remaining && t(`progress.${remaining.unit}Left`, { count: remaining.count })}</span>
    </div>
  );
}

/** Announces each ten percent once. Screen readers can read the bar itself at any time. */
function ProgressAnnouncement({ percent }: { percent: number }) {
  const { t } = useTranslation();
  const tenth = Math.floor(percent / 10) * 10;
  return (
    <span className={hiddenStyles.visuallyHidden} role="status">
      {tenth > 0 && t('progress.spoken', { percent: tenth })}
    </span>
  );
}

/** Hidden from screen readers, because it would only interrupt them. */
function PassingMessage({ isCancelling }: { isCancelling: boolean }) {
  const { t } = useTranslation();
  const messages = useMemo(
    () => Object.values(t(isCancelling ? 'progress.stopping' : 'progress.fun', { returnObjects: true })),
    [t, isCancelling],
  );
  const message = useCyclingMessage(messages, isCancelling ? 'in turn' : 'random');
  return (
    <span className={styles.message} aria-hidden="true" data-shown={message !== undefined}>
      {message}
    </span>
  );
}
