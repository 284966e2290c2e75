// The error text and the advice for a key that does not fit.
import type { Failure } from '@furoshiki/api';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import styles from '../download.module.css';

const KEY_CODES = ['KEY_EMPTY', 'KEY_INVALID_LENGTH', 'KEY_INVALID_CHARACTERS', 'KEY_IMPORT_FAILED'] as const;

export function keyErrorText(t: TFunction, { code, details }: Failure): string {
  const shownCode = KEY_CODES.find((keyCode) => keyCode === code) ?? 'KEY_INCORRECT';
  return t(`keyErrors.${shownCode}`, { byteCount: details.byteCount });
}

export function KeyHelp() {
  const { t } = useTranslation();
  return (
    <section className={styles.help}>
      <h2>{t('keyErrors.help')}</h2>
      <ul>
        <li>{t('keyErrors.helpCopy')}</li>
        <li>{t('keyErrors.helpSpaces')}</li>
        <li>{t('keyErrors.helpAsk')}</li>
        <li>{t('keyErrors.helpBrowser')}</li>
        <li>{t('keyErrors.helpAgain')}</li>
      </ul>
    </section>
  );
}
