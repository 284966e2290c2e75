// Explains why a screen could not start, and what the user can try.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { errorDuring } from '../../analytics/analytics-events.ts';
import { useServices } from '../../services.ts';
import { Button } from '../../ui/buttons/button.tsx';
import styles from './start-up.module.css';

const HINTS = ['hintConnection', 'hintRetry', 'hintRestart', 'hintClear', 'hintLater', 'hintContact'] as const;

/** By what is missing: the server, the security token, or the code of the screen. */
const MESSAGES = { server: 'startUp.network', token: 'startUp.other', code: 'app.pageFailed' } as const;

export function StartUpError({ missing }: { missing: keyof typeof MESSAGES }) {
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
