// The server gave no security token: what happened, and everything that may help.
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Button } from '../ui/button.tsx';
import styles from './start-up.module.css';

const HINTS = ['hintConnection', 'hintRetry', 'hintRestart', 'hintClear', 'hintLater', 'hintContact'] as const;

export function StartUpError({ isNetwork }: { isNetwork: boolean }) {
  const { t } = useTranslation();
  const { reload } = useServices();
  // Where nothing was reached, nothing that is stored here can be at fault.
  const hints = HINTS.filter((hint) => !(isNetwork && hint === 'hintClear'));
  return (
    <div role="alert">
      <h1>{t('startUp.title')}</h1>
      <p className={styles.message}>{t(isNetwork ? 'startUp.network' : 'startUp.other')}</p>
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
