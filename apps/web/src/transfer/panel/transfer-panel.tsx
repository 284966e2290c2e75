// The progress of a transfer, up or down: what is happening, how far it is, and a way to stop it.
import { shownName } from '@furoshiki/core';
import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/buttons/button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Cloth } from '../cloth/cloth.tsx';
import { HISTORY_LENGTH, estimate, type Speed, roundTime } from './speed.ts';
import { Sparkline } from './sparkline.tsx';
import styles from './transfer-panel.module.css';
import { useCyclingMessage } from './use-cycling-message.ts';
import { useSpeed } from './use-speed.ts';
import { useTabProgress } from './use-tab-progress.ts';

export interface TransferPanelProps {
  /** Up wraps the cloth, down unwraps it. */
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
  /** Those of them that were there before it began. */
  arrivedBytes?: number;
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
  const { arrivedBytes = 0 } = props;
  // What was there before says nothing of the line.
  const pace = useSpeed(props.loadedBytes - arrivedBytes);
  const nameId = useId();
  const whole = Math.floor(props.percent);
  const percentText = t('progress.percent', { percent: whole });
  const isCancelling = props.phase === 'cancelling';
  useTabProgress(props.percent);
  const done = isCancelling ? 0 : props.percent / 100;
  return (
    <section className={styles.panel}>
      <Cloth wrapped={props.direction === 'up' ? done : 1 - done} />
      <div className={styles.body}>
        <p className={styles.phase} aria-live="polite">
          {props.isCutOff && !isCancelling ? t('progress.waitingForNetwork') : t(`progress.${props.phase}`)}
        </p>
        <div
          className={styles.progress}
          role="progressbar"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={whole}
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
          {props.totalFiles !== undefined && props.totalFiles > 1 && (
            <span>{t('progress.file', { current: props.currentFile, total: props.totalFiles })}</span>
          )}
          <Sparkline values={pace.history} length={HISTORY_LENGTH} />
        </div>
        <div className={styles.bytes}>
          {t('progress.bytes', { loaded: bytes(props.loadedBytes), total: bytes(props.totalBytes) })}
        </div>
        <SpeedLine pace={pace} totalBytes={props.totalBytes - arrivedBytes} />
        <ProgressAnnouncement percent={props.percent} />
        <div className={styles.end}>
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

/** Its place is kept while nothing can be told, so that nothing moves when it can. */
function SpeedLine({ pace, totalBytes }: { pace: Speed; totalBytes: number }) {
  const { t, i18n } = useTranslation();
  const { speed, secondsRemaining } = estimate(pace, totalBytes);
  const left = secondsRemaining === undefined ? undefined : roundTime(secondsRemaining);
  return (
    <div className={styles.speed}>
      <span>{speed !== undefined && t('progress.speedShort', { speed: formatBytes(speed, i18n.language) })}</span>
      <span>{left && t(`progress.${left.unit}Left`, { count: left.count })}</span>
    </div>
  );
}

/** Each tenth is said once; the bar itself can be read at any time. */
function ProgressAnnouncement({ percent }: { percent: number }) {
  const { t } = useTranslation();
  const tenth = Math.floor(percent / 10) * 10;
  return (
    <span className={styles.spoken} role="status">
      {tenth > 0 && t('progress.spoken', { percent: tenth })}
    </span>
  );
}

/** For eyes alone: read aloud it would only be in the way. */
function PassingMessage({ isCancelling }: { isCancelling: boolean }) {
  const { t } = useTranslation();
  const texts = useMemo(
    () => Object.values(t(isCancelling ? 'progress.stopping' : 'progress.fun', { returnObjects: true })),
    [t, isCancelling],
  );
  const text = useCyclingMessage(texts);
  return (
    <span className={styles.chatter} aria-hidden="true" data-shown={text !== undefined}>
      {text}
    </span>
  );
}
