// A screen could not be made ready: what happened, and everything that may help.
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';
import { Button } from '../../ui/buttons/button.tsx';
import styles from './start-up.module.css';

const HINTS = ['hintConnection', 'hintRetry', 'hintRestart', 'hintClear', 'hintLater', 'hintContact'] as const;

/** By what was missing: the server, its security token, or the screen's own code. */
const MESSAGES = { server: 'startUp.network', token: 'startUp.other', code: 'app.pageFailed' } as const;

export function StartUpError({ missing }: { missing: keyof typeof MESSAGES }) {
  const { t } = useTranslation();
  const { reload } = useServices();
  // Where nothing was reached, nothing that is stored here can be at fault.
  const hints = HINTS.filter((hint) => missing === 'token' || hint !== 'hintClear');
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
