// What is shown around a screen until it works, or if it cannot: without the security token, without its code, without
// HTTPS, without the network.
import { asFailure } from '@furoshiki/api';
import { Component, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { errorDuring } from '../analytics/analytics-events.ts';
import { type PlaceholderName, ScreenPlaceholder } from '../screens/placeholders.tsx';
import { useServices } from '../services.ts';
import { Button } from '../ui/button.tsx';
import { loadOnce, useLoad } from '../ui/lazy.tsx';
import { Notice } from '../ui/message.tsx';
import styles from './app.module.css';

interface NeedsServerProps {
  name: PlaceholderName;
  children: ReactNode;
}

export function NeedsServer({ name, children }: NeedsServerProps) {
  const { prepare, canEncrypt } = useServices();
  // Once per screen: the token may have expired since the last one.
  const [loader] = useState(() => loadOnce(prepare));
  const readiness = useLoad(canEncrypt ? loader : undefined);
  if (!canEncrypt) return <InsecureScreen />;
  if (readiness.phase === 'loaded') return children;
  if (readiness.phase === 'loading') return <ScreenPlaceholder name={name} />;
  return <StartUpError missing={isNetworkError(readiness.cause) ? 'server' : 'token'} />;
}

function isNetworkError(thrown: unknown): boolean {
  const { code } = asFailure(thrown);
  return code === 'NETWORK' || code === 'TIMEOUT';
}

interface ScreenBoundaryProps {
  children: ReactNode;
}

/**
 * Shows an error if the code of a screen cannot be loaded: without network, or after an update replaced the old files.
 */
export class ScreenBoundary extends Component<ScreenBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <StartUpError missing="code" /> : this.props.children;
  }
}

/** Shown on an address without HTTPS, because browsers offer no cryptography there. */
function InsecureScreen() {
  const { t } = useTranslation();
  return (
    <div role="alert">
      <h1>{t('startUp.insecureTitle')}</h1>
      <p className={styles.message}>{t('startUp.insecureText')}</p>
      <p>{t('startUp.insecureHint')}</p>
    </div>
  );
}

const HINTS = ['hintConnection', 'hintRetry', 'hintRestart', 'hintClear', 'hintLater', 'hintContact'] as const;

/** By what is missing: the server, the security token, or the code of the screen. */
const MESSAGES = { server: 'startUp.network', token: 'startUp.other', code: 'app.pageFailed' } as const;

/** Explains why a screen could not start, and what the user can try. */
function StartUpError({ missing }: { missing: keyof typeof MESSAGES }) {
  const { t } = useTranslation();
  const { reload, analytics } = useServices();
  useEffect(() => analytics.report([errorDuring('start-up', missing)]), [analytics, missing]);
  // Clearing stored data cannot help without the network, and would delete the pages that can be read offline.
  const mayBeStale = missing === 'token' || (missing === 'code' && navigator.onLine);
  const hints = HINTS.filter((hint) => mayBeStale || hint !== 'hintClear');
  return (
    <div role="alert">
      <h1>{t('startUp.title')}</h1>
      <p className={styles.message}>{t(MESSAGES[missing])}</p>
      <h2>{t('startUp.hints')}</h2>
      <ul className={styles.hints}>
        {hints.map((hint) => (
          <li key={hint}>{t(`startUp.${hint}`)}</li>
        ))}
      </ul>
      <Button kind="main" onPress={reload}>
        {t('startUp.reload')}
      </Button>
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** A notice that is shown while the browser is offline. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const { canReadOffline } = useServices();
  const [isReadable, setReadable] = useState(false);
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  useEffect(() => {
    if (!isOnline) void canReadOffline().then(setReadable);
  }, [isOnline, canReadOffline]);
  return isOnline ? undefined : (
    <Notice kind="bad">
      {t('app.offline')} {isReadable && t('app.offlineReading')}
    </Notice>
  );
}

const subscribeToNothing = () => () => undefined;

/**
 * Returns false in the prerendered page and in the first render in the browser, which must be equal, and then true.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
