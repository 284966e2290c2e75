// The progress of an upload or a download, with a button that cancels it.
import { shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { addSample, type Amount, estimate, HISTORY_LENGTH, NO_SPEED, roundTime, type Speed } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Cloth } from './cloth.tsx';
import styles from './transfer-panel.module.css';

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
  const { t, language } = useTranslation();
  const bytes = (count: number) => formatBytes(count, language);
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
  const { t, language } = useTranslation();
  const { bytesPerSecond, secondsRemaining } = estimate(speed, total);
  const remaining = secondsRemaining === undefined ? undefined : roundTime(secondsRemaining);
  return (
    <div className={styles.speed}>
      <span>
        {bytesPerSecond !== undefined && t('progress.speedShort', { speed: formatBytes(bytesPerSecond, language) })}
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
    <span className="visually-hidden" role="status">
      {tenth > 0 && t('progress.spoken', { percent: tenth })}
    </span>
  );
}

/** Hidden from screen readers, because it would only interrupt them. */
function PassingMessage({ isCancelling }: { isCancelling: boolean }) {
  const { texts } = useTranslation();
  const group = isCancelling ? texts.progress.stopping : texts.progress.fun;
  const messages = useMemo(() => Object.values(group), [group]);
  const message = useCyclingMessage(messages, isCancelling ? 'in turn' : 'random');
  return (
    <span className={styles.message} aria-hidden="true" data-shown={message !== undefined}>
      {message}
    </span>
  );
}

const WIDTH = 96;
const HEIGHT = 24;

/** A small line chart without axes. */
function Sparkline({ values, length }: { values: readonly number[]; length: number }) {
  const highest = Math.max(...values, 1);
  const step = WIDTH / (length - 1);
  // The latest value is always at the right edge.
  const points = values.map((value, index) => {
    const x = WIDTH - (values.length - 1 - index) * step;
    return `${x.toFixed(1)},${(HEIGHT - 1.5 - (value / highest) * (HEIGHT - 3)).toFixed(1)}`;
  });
  return (
    <svg className={styles.sparkline} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}

const TICK_MS = 200;

/** Samples the progress of a transfer five times a second. */
function useSpeed(loaded: Amount): Speed {
  const [speed, setSpeed] = useState(NO_SPEED);
  const takeSample = useEffectEvent(() =>
    setSpeed((current) => addSample(current, { atMs: performance.now(), ...loaded })),
  );
  useEffect(() => {
    takeSample();
    const timer = setInterval(takeSample, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return speed;
}

const ICON = 'link[rel="icon"]';
/** Each new icon is fetched, drawn and sent to the browser process: a hundred icons slow a fast download by 10 %. */
const RING_STEP = 10;

/** Shows the progress of a transfer in the browser tab: in the title, and as a ring in the icon. */
function useTabProgress(percent: number): void {
  const { t } = useTranslation();
  const title = useRef('');
  const wholePercent = Math.floor(percent);
  const ring = wholePercent - (wholePercent % RING_STEP);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>(ICON);
    const originalHref = icon?.href;
    title.current = document.title;
    return () => {
      document.title = title.current;
      if (icon && originalHref !== undefined) icon.href = originalHref;
    };
  }, []);

  useEffect(() => {
    document.title = t('progress.tabTitle', { percent: wholePercent, title: title.current });
  }, [t, wholePercent]);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>(ICON);
    if (icon) icon.href = ringIcon(ring);
  }, [ring]);
}

/** Uses the fixed colours of the site icon, because a tab does not know our themes. */
function ringIcon(percent: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" stroke-width="12">
<circle cx="32" cy="32" r="25" stroke="#9db4d4"/>
<circle cx="32" cy="32" r="25" stroke="#2b5490" pathLength="100" stroke-dasharray="${percent} 100" transform="rotate(-90 32 32)"/>
<circle cx="32" cy="32" r="9" fill="#c6432a"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const CYCLE_MS = 5000;
const SHOWN_MS = 3000;
/** Of the messages that are shown in turn. It outlives a panel: cancelling ends before its second message. */
let turn = -1;

/**
 * Shows another message every five seconds, for three seconds each. Returns undefined during the pauses. A new array
 * restarts the cycle, so callers must memoise the list.
 */
function useCyclingMessage<Message>(messages: readonly Message[], order: 'random' | 'in turn'): Message | undefined {
  const [message, setMessage] = useState<Message>();
  useEffect(() => {
    let hiding: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      if (order === 'in turn') turn += 1;
      const index = order === 'random' ? Math.floor(Math.random() * messages.length) : turn % messages.length;
      setMessage(messages[index]);
      hiding = setTimeout(() => setMessage(undefined), SHOWN_MS);
    };
    show();
    const cycle = setInterval(show, CYCLE_MS);
    return () => {
      clearInterval(cycle);
      clearTimeout(hiding);
    };
  }, [messages, order]);
  return message;
}
