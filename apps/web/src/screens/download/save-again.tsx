// For who does not find a file that was saved: the browser may have dropped it without our knowing.
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/buttons/button.tsx';
import styles from './download.module.css';

interface SaveAgainProps {
  name: string;
  /** Undefined where the way to disk tells of its end by itself. */
  save: (() => void) | undefined;
}

export function SaveAgain({ name, save }: SaveAgainProps) {
  const { t } = useTranslation();
  return (
    save && (
      <div className={styles.again}>
        {t('download.notThere')}
        <Button kind="quiet" aria-label={t('download.saveAgainNamed', { name })} onPress={save}>
          {t('download.saveAgain')}
        </Button>
      </div>
    )
  );
}
