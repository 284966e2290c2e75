// A button that saves a downloaded file again, because the browser may have dropped it without an error.
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/buttons/button.tsx';
import styles from './download.module.css';

interface SaveAgainProps {
  name: string;
  /** Undefined if the file was certainly saved, or if the browser no longer has its bytes. */
  save: (() => void) | undefined;
}

export function SaveAgain({ name, save }: SaveAgainProps) {
  const { t } = useTranslation();
  return (
    save && (
      <div className={styles.saveAgain}>
        {t('download.notThere')}
        <Button kind="quiet" aria-label={t('download.saveAgainNamed', { name })} onPress={save}>
          {t('download.saveAgain')}
        </Button>
      </div>
    )
  );
}
