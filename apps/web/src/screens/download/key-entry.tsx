// The key field of a page. The key is checked while it is typed; if it does not fit, help is shown.
import type { Failure } from '@furoshiki/api';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icon.tsx';
import { SecretField } from '../../ui/text-fields.tsx';
import styles from './download.module.css';
import type { DownloadPage } from './use-download-page.ts';

export function KeyEntry({ page }: { page: DownloadPage }) {
  const { t } = useTranslation();
  const { check, refusal } = page;
  const isMissing = refusal?.code === 'KEY_EMPTY';
  if (!page.needsKey) return null;
  return (
    <div className={styles.key} data-fits={check.phase === 'fits'}>
      <SecretField
        label={t('download.key')}
        hint={t(hintOf(page))}
        inputRef={page.field}
        error={refusal && keyErrorText(t, refusal)}
        value={page.typed}
        onChange={page.setTyped}
        onBlur={page.endTyping}
        showLabel={t('share.showKey')}
        hideLabel={t('share.hideKey')}
      />
      <p aria-live="polite" className={styles.keyFits}>
        {check.phase === 'fits' && (
          <>
            <Icon name="check" />
            {t('download.keyFits')}
          </>
        )}
      </p>
      {refusal && !isMissing && <KeyHelp />}
    </div>
  );
}

function hintOf({ isOldSender, isKeyFromLink }: DownloadPage) {
  if (isOldSender) return 'share.ownKeyHint';
  return isKeyFromLink ? 'download.keyFromLink' : 'download.keyHint';
}

const KEY_CODES = ['KEY_EMPTY', 'KEY_INVALID_LENGTH', 'KEY_INVALID_CHARACTERS', 'KEY_IMPORT_FAILED'] as const;

/** The error text and the advice for a key that does not fit. */
function keyErrorText(t: TFunction, { code, details }: Failure): string {
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
